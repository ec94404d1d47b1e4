// Sets the layers of the stages of a schedule that states a rule for them.
#pragma once

#include <cstdint>
#include <vector>

#include "draws/costs.h"
#include "draws/layer_times.h"
#include "draws/planning_draws.h"

namespace spillway {

// Returns the schedule with its stages split as its rule says, from the times of layer_times: it sets
// layers_per_rank and, in a joint split, the cut inside the runs. The rule of the result is by count.
// A run of stages that begins with the model's first layer is split as `placed` allows (placed_split.h).
ScheduleSpec with_stages(const std::vector<Seconds>& times, const Experiment& experiment,
                         ScheduleSpec schedule, const PlacedStages& placed = {});

// Does the same with the mean forward and backward time of each layer over microbatches, replicas and
// `draws`.
ScheduleSpec with_planned_stages(const DrawCosts& costs, ScheduleSpec schedule, const PlanningDraws& draws);

}  // namespace spillway
