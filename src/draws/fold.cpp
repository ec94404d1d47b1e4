#include "draws/fold.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "draws/given_draws.h"

namespace spillway {
namespace {

bool differ(const std::vector<std::vector<double>>& work_by_replica) {
  return std::adjacent_find(work_by_replica.begin(), work_by_replica.end(), std::not_equal_to<>()) !=
         work_by_replica.end();
}

bool are_equal(const GivenCosts& given) {
  if (is_drawn(given)) return false;
  return std::none_of(given.blocks.begin(), given.blocks.end(), [](const BlockProfile& block) {
    return differ(block.work) || differ(block.backward_work);
  });
}

// Returns true if replicas have equal text, compute nothing together, and have the same tiers between their
// ranks.
bool are_equal(const AnalyticExperiment& analytic, const Pipeline& pipeline) {
  const std::vector<std::uint32_t> joined = joined_replicas(analytic.costs);
  return analytic.workload.packing == Packing::TextOnly &&
         std::all_of(joined.begin(), joined.end(), [](std::uint32_t replicas) { return replicas == 1; }) &&
         replicas_lie_alike(analytic.costs, pipeline);
}

}  // namespace

Experiment folded(Experiment experiment, Links links) {
  // The unit of a job of modules has its own number of replicas, which is not the job's.
  if (std::ranges::any_of(experiment.schedules, [](const ScheduleSpec& one) { return !one.modules.empty(); }))
    return experiment;
  std::uint32_t& replicas = experiment.pipeline.replicas;
  if (auto* given = std::get_if<GivenCosts>(&experiment.costs)) {
    if (are_equal(*given)) given->equal_replicas = std::exchange(replicas, 1);
    return experiment;
  }
  auto& analytic = std::get<AnalyticExperiment>(experiment.costs);
  if (links == Links::Own && are_equal(analytic, experiment.pipeline))
    analytic.costs.equal_replicas = std::exchange(replicas, 1);
  return experiment;
}

std::uint32_t equal_replicas(const Experiment& experiment) {
  if (const auto* given = std::get_if<GivenCosts>(&experiment.costs)) return given->equal_replicas;
  return on_platform(experiment.costs)->equal_replicas;
}

}  // namespace spillway
