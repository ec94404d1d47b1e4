#include "experiment/experiment.h"

namespace spillway {

const AnalyticCosts* on_platform(const JobCosts& costs) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&costs);
  return analytic ? &analytic->costs : nullptr;
}

AnalyticCosts* on_platform(JobCosts& costs) {
  auto* analytic = std::get_if<AnalyticExperiment>(&costs);
  return analytic ? &analytic->costs : nullptr;
}

Parallelism parallelism_of(const JobCosts& costs) {
  const AnalyticCosts* priced = on_platform(costs);
  return priced ? priced->parallelism : Parallelism{};
}

}  // namespace spillway
