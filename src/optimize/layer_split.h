// Layers of the stages where the schedule says by what rule, not how many.
#pragma once

#include <cstdint>
#include <vector>

#include "draws/costs.h"
#include "draws/layer_times.h"
#include "draws/planning_draws.h"

namespace spillway {

// The schedule with its stages as its split asks, from layer_times: layers_per_rank, and of a joint split the
// cut inside its runs. Nothing is left to be planned of them: it is then split by count.
ScheduleSpec with_stages(const std::vector<Seconds>& times, const Experiment& experiment,
                         ScheduleSpec schedule);

// The same, what a layer takes being the mean of its forward and backward over microbatches, replicas and
// `draws`.
ScheduleSpec with_planned_stages(const DrawCosts& costs, ScheduleSpec schedule, const PlanningDraws& draws);

}  // namespace spillway
