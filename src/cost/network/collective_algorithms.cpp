#include "cost/network/collective_algorithms.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "cost/network/algorithm_parts.h"
#include "cost/network/collective_layout.h"

namespace spillway {
namespace {

// None if the algorithm cannot run the operation. Contract: it has no levels.
std::vector<ClosedForm> flat_form(const Platform& platform, CollectiveOperation operation,
                                  Algorithm algorithm, const std::vector<Devices>& groups) {
  const FlatAlgorithm* const flat = flat_algorithm(algorithm);
  ensure(flat, "flat_form: not an algorithm without levels");
  if (!flat->runs(operation)) return {};
  FormUnderWay result = flat->form(platform, operation, groups);
  return {{algorithm, result.once, std::move(result.steps), result.evidence}};
}

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

Steps hierarchical_steps(const Platform& platform, CollectiveOperation operation, const Hierarchy& hierarchy,
                         Bytes n) {
  Steps all;
  for (const HierarchicalPhase& phase : phases(hierarchy, operation)) {
    Steps together;
    for (const Devices& devices : phase.groups) {
      const Steps steps =
          flat_algorithm(phase.algorithm)->steps(platform, phase.operation, devices, n * phase.share);
      together.resize(steps.size());
      for (std::size_t i = 0; i < steps.size(); ++i) {
        together[i].flows.insert(together[i].flows.end(), steps[i].flows.begin(), steps[i].flows.end());
      }
    }
    all = one_after_the_other(std::move(all), together);
  }
  return all;
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
  if (algorithm != Algorithm::Hierarchical) return flat_form(platform, operation, algorithm, {devices});
  if (!exchanges_parts(operation)) return {};
  std::vector<ClosedForm> forms;
  for (const Hierarchy& hierarchy : hierarchies(platform, operation, devices)) {
    forms.push_back(two_levels(platform, operation, hierarchy));
  }
  return forms;
}

Steps collective_steps(const Platform& platform, CollectiveOperation operation, Algorithm algorithm,
                       const DeviceGroup& group, Bytes n) {
  const std::vector<ClosedForm> ways = closed_forms(platform, operation, algorithm, group);
  ensure(!ways.empty(), "collective_steps: the algorithm cannot run this here");
  const Devices devices = devices_of(platform, group);
  if (const FlatAlgorithm* const flat = flat_algorithm(algorithm))
    return flat->steps(platform, operation, devices, n);
  const auto faster = [&](const ClosedForm& a, const ClosedForm& b) { return a(n) < b(n); };
  const auto fastest = std::min_element(ways.begin(), ways.end(), faster) - ways.begin();
  return hierarchical_steps(platform, operation,
                            hierarchies(platform, operation, devices)[static_cast<std::size_t>(fastest)], n);
}

}  // namespace spillway
