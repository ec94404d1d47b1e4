#include "cost/network/algorithm_parts.h"

#include <algorithm>
#include <utility>

namespace spillway {

Seconds FlowLoads::over_pair(std::size_t tier) const {
  return Bytes(tiers_[tier].pair) / platform_->tiers[tier].bandwidth.value;
}

Seconds FlowLoads::over_port(std::size_t tier) const {
  if (!platform_->contention) return {};
  return Bytes(tiers_[tier].port) / platform_->ports[platform_->tiers[tier].port].bandwidth.value;
}

StepForm FlowLoads::step(double count) const {
  StepForm form{count, {}};
  for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
    if (tiers_[tier].pair == 0) continue;
    form.flows.push_back(
        {platform_->tiers[tier].latency_of_a_step().value, std::max(over_pair(tier), over_port(tier))});
  }
  return form;
}

Seconds FlowLoads::once() const {
  Seconds most;
  for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
    if (tiers_[tier].pair > 0) most = std::max(most, latency_once(platform_->tiers[tier]));
  }
  return most;
}

Evidence FlowLoads::evidence() const {
  Evidence evidence = Evidence::Measured;
  for (std::size_t i = 0; i < tiers_.size(); ++i) {
    if (tiers_[i].pair == 0) continue;
    const Tier& tier = platform_->tiers[i];
    const Evidence bandwidth = over_port(i) > over_pair(i) ? platform_->ports[tier.port].bandwidth.evidence
                                                           : tier.bandwidth.evidence;
    evidence = weaker(evidence, weaker(tier.latency.evidence, bandwidth));
    evidence = weaker(evidence, tier.latency_of_a_step().evidence);
  }
  return evidence;
}

void FormUnderWay::add(const FlowLoads& loads, double count) {
  steps.push_back(loads.step(count));
  once = std::max(once, loads.once());
  evidence = weaker(evidence, loads.evidence());
}

Steps backwards(Steps steps) {
  std::reverse(steps.begin(), steps.end());
  for (CollectiveStep& step : steps) {
    for (StepFlow& flow : step.flows) std::swap(flow.from, flow.to);
  }
  return steps;
}

Steps one_after_the_other(Steps first, const Steps& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace spillway
