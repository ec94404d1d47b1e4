// Layers of the stages where the schedule says by what rule, not how many.
#pragma once

#include <cstdint>
#include <vector>

#include "experiment/costs.h"
#include "policy/planning_draws.h"

namespace spillway {

// For DeriveOptions::layers_per_rank; empty where they go by count. What a layer takes is the mean of its
// forward and backward over the microbatches, replicas and `draws`.
std::vector<std::uint32_t> planned_layers(const DrawCosts& costs, const ScheduleSpec& schedule,
                                          const PlanningDraws& draws);

}  // namespace spillway
