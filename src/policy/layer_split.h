// Layers of the stages where the schedule says by what rule, not how many.
#pragma once

#include <cstdint>
#include <vector>

#include "experiment/costs.h"
#include "policy/planning_draws.h"

namespace spillway {

// What each layer of the model takes, forward and backward, summed over the draws: mean over microbatches and
// replicas.
std::vector<Seconds> layer_times(const DrawCosts& costs, const PlanningDraws& draws);

// For DeriveOptions::layers_per_rank, from layer_times; as the schedule has them where they go by count.
std::vector<std::uint32_t> layers_by(const std::vector<Seconds>& times, const Experiment& experiment,
                                     const ScheduleSpec& schedule);

// For DeriveOptions::layers_per_rank; empty where they go by count. What a layer takes is the mean of its
// forward and backward over the microbatches, replicas and `draws`.
std::vector<std::uint32_t> planned_layers(const DrawCosts& costs, const ScheduleSpec& schedule,
                                          const PlanningDraws& draws);

}  // namespace spillway
