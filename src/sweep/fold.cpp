#include "sweep/fold.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "cost/given_draws.h"

namespace spillway {
namespace {

bool differ(const std::vector<std::vector<double>>& work_by_replica) {
  return std::adjacent_find(work_by_replica.begin(), work_by_replica.end(), std::not_equal_to<>()) !=
         work_by_replica.end();
}

}  // namespace

Experiment folded(Experiment experiment) {
  auto* given = std::get_if<GivenCosts>(&experiment.costs);
  if (!given) return experiment;
  if (is_drawn(*given)) return experiment;
  for (const BlockProfile& block : given->blocks)
    if (differ(block.work) || differ(block.backward_work)) return experiment;
  given->equal_replicas = std::exchange(experiment.pipeline.replicas, 1);
  return experiment;
}

std::uint32_t equal_replicas(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  return given ? given->equal_replicas : 1;
}

}  // namespace spillway
