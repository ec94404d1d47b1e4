#include "experiment/experiment.h"

#include <algorithm>
#include <utility>

#include "experiment/derive_options.h"

namespace spillway {
namespace {

// A slot of one replica has about four events, and each event takes about 60 bytes for its times.
constexpr std::uint64_t kMostSlotsKept = 8'000'000;

void add_new(std::vector<Violation>& all, std::vector<Violation> more) {
  for (Violation& violation : more)
    if (std::find(all.begin(), all.end(), violation) == all.end()) all.push_back(std::move(violation));
}

}  // namespace

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

std::vector<Violation> check_whole_timelines(const Experiment& experiment) {
  const auto [ranks, microbatches, replicas] = experiment.pipeline;
  std::vector<Violation> violations;
  if (static_cast<double>(ranks) * microbatches * replicas > static_cast<double>(kMostSlotsKept))
    violations.push_back(
        {"", "/pipeline",
         "at most " + std::to_string(kMostSlotsKept) +
             " (ranks x microbatches x replicas), since a run keeps timelines in memory (a sweep keeps only "
             "figures)",
         std::to_string(ranks) + " x " + std::to_string(microbatches) + " x " + std::to_string(replicas)});
  for (const ScheduleSpec& schedule : experiment.schedules)
    add_new(violations, check_derive(experiment, schedule));
  return violations;
}

}  // namespace spillway
