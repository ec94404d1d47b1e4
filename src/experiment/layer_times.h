// What the layers of a job take, one by one.
#pragma once

#include <vector>

#include "experiment/costs.h"
#include "experiment/planning_draws.h"

namespace spillway {

// The job with a layer of each kind a stage of its own, all on one rank: what a cost model prices layers by.
struct LayersApart {
  std::vector<std::uint32_t> stage_of;  // by layer of the model
  Outline outline;
};
LayersApart layers_apart(const Experiment& experiment);

// What each layer of the model takes, forward and backward, summed over the draws: mean over microbatches and
// replicas.
std::vector<Seconds> layer_times(const DrawCosts& costs, const PlanningDraws& draws);

}  // namespace spillway
