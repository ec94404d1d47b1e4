#include "cost/network/collective_algorithms.h"

#include <algorithm>

#include "cost/network/collective_layout.h"
#include "cost/network/flat_algorithms.h"
#include "cost/network/hierarchical.h"

namespace spillway {
namespace {

ClosedForm two_levels(const Platform& platform, CollectiveOperation operation, const Hierarchy& hierarchy) {
  ClosedForm whole{Algorithm::Hierarchical, Seconds(), {}, Evidence::Measured};
  for (const HierarchicalPhase& phase : phases(hierarchy, operation)) {
    for (ClosedForm& form : flat_form(platform, phase.operation, phase.algorithm, phase.groups)) {
      for (StepForm& step : form.steps) {
        for (StepForm::Flow& flow : step.flows) flow.per_byte = flow.per_byte * phase.share;
        whole.steps.push_back(std::move(step));
      }
      whole.once = std::max(whole.once, form.once);
      whole.evidence = weaker(whole.evidence, form.evidence);
    }
  }
  return whole;
}

}  // namespace

Seconds ClosedForm::operator()(Bytes n) const {
  Seconds total = once;
  for (const StepForm& step : steps) {
    Seconds slowest;
    for (const StepForm::Flow& flow : step.flows) {
      slowest = std::max(slowest, flow.latency + flow.per_byte * n.value());
    }
    total += slowest * step.count;
  }
  return total;
}

Seconds latency_once(const Tier& tier) {
  return tier.latency.value - tier.latency_of_a_step().value;
}

std::vector<ClosedForm> closed_forms(const Platform& platform, CollectiveOperation operation,
                                     Algorithm algorithm, const DeviceGroup& group) {
  const Devices devices = devices_of(platform, group);
  ensure(devices.size() > 1, "closed_forms: a group of one");
  if (!runs(algorithm, operation)) return {};
  if (algorithm != Algorithm::Hierarchical) return flat_form(platform, operation, algorithm, {devices});
  std::vector<ClosedForm> forms;
  for (const Hierarchy& hierarchy : hierarchies(platform, operation, devices)) {
    forms.push_back(two_levels(platform, operation, hierarchy));
  }
  return forms;
}

}  // namespace spillway
