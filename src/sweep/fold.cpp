#include "sweep/fold.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

namespace spillway {

Experiment folded(Experiment experiment) {
  auto* given = std::get_if<GivenCosts>(&experiment.costs);
  if (!given) return experiment;
  for (const BlockProfile& block : given->blocks) {
    const auto& work = block.work;
    if (std::adjacent_find(work.begin(), work.end(), std::not_equal_to<>()) != work.end()) return experiment;
  }
  given->equal_replicas = std::exchange(experiment.pipeline.replicas, 1);
  return experiment;
}

std::uint32_t equal_replicas(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  return given ? given->equal_replicas : 1;
}

}  // namespace spillway
