#include "experiment/what_if.h"

#include <memory>
#include <sstream>
#include <utility>

#include "experiment/experiment.h"

namespace spillway {
namespace {

std::string factor_text(double factor) {
  std::ostringstream text;
  text << factor;
  return text.str();
}

template <class Value>
void scale(Sourced<Value>& figure, double factor) {
  figure.value = figure.value * factor;
  figure.evidence = Evidence::Assumed;
  figure.source += ", times " + factor_text(factor) + " (what_if)";
}

void speed_up_links(Platform& platform, double speed) {
  for (NetworkPort& port : platform.ports) scale(port.bandwidth, speed);
  for (Tier& tier : platform.tiers) {
    scale(tier.bandwidth, speed);
    scale(tier.latency, 1 / speed);
    if (tier.step_latency) scale(*tier.step_latency, 1 / speed);
    for (ExpertKernels& kernels : tier.expert_kernels) {
      scale(kernels.dispatch, speed);
      scale(kernels.combine, speed);
      if (kernels.fp8_dispatch) scale(*kernels.fp8_dispatch, speed);
    }
    for (MeasuredCollective& sweep : tier.collectives) {
      for (auto& [bytes, time] : sweep.points.value) time = time * (1 / speed);
      sweep.points.evidence = Evidence::Assumed;
    }
  }
}

void apply(const WhatIf& what_if, const Model& model, GivenCosts& costs) {
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    if (model.blocks()[i].role != Role::Encoder) continue;
    BlockProfile& block = costs.blocks[i];
    for (Seconds* time : {&block.forward, &block.input_gradient, &block.weight_gradient})
      *time = *time * what_if.encoder_time;
    if (block.fused_forward_backward)
      block.fused_forward_backward = *block.fused_forward_backward * what_if.encoder_time;
  }
  if (!costs.reduction) costs.reduction = costs.p2p;
  costs.p2p = costs.p2p * (1 / what_if.link_speed);
  costs.reduction = *costs.reduction * (1 / what_if.link_speed);
}

void apply(const WhatIf& what_if, const Model& model, AnalyticCosts& costs) {
  if (costs.measured) costs.before_what_if = std::make_shared<const AnalyticCosts>(costs);
  for (std::size_t i = 0; i < costs.blocks.size(); ++i)
    if (model.blocks()[i].role == Role::Encoder) costs.blocks[i].what_if_time = what_if.encoder_time;
  costs.what_if_inner_collective_time = what_if.inner_collective_time;
  if (what_if.link_speed == 1) return;
  speed_up_links(costs.platform, what_if.link_speed);
  if (costs.packed) speed_up_links(*costs.packed, what_if.link_speed);
}

}  // namespace

std::vector<std::string> assumptions_of(const WhatIf& what_if) {
  std::vector<std::string> all;
  const auto say = [&](const std::string& what) { all.push_back("what if: " + what); };
  if (what_if.encoder_time != 1)
    say("encoders take " + factor_text(what_if.encoder_time) + " times their time");
  if (what_if.link_speed != 1) say("links run at " + factor_text(what_if.link_speed) + " times their speed");
  if (what_if.inner_collective_time != 1)
    say("collectives inside passes take " + factor_text(what_if.inner_collective_time) + " times their time");
  if (what_if.even_stages) say("every pipelined stage takes the mean time of all stages");
  return all;
}

Experiment with_what_if(Experiment experiment) {
  if (!experiment.fits.empty()) return experiment;
  const WhatIf what_if = std::exchange(experiment.what_if, {.even_stages = experiment.what_if.even_stages});
  if (what_if == experiment.what_if) return experiment;
  if (auto* given = std::get_if<GivenCosts>(&experiment.costs))
    apply(what_if, experiment.model, *given);
  else
    apply(what_if, experiment.model, *on_platform(experiment.costs));
  return experiment;
}

}  // namespace spillway
