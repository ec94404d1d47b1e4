// Steps whose order is large: their figures from streams, a replica of a draw at a time.
// Private to src/evaluate.
#pragma once

#include <cstdint>
#include <vector>

#include "experiment/costs.h"
#include "timing/step_figures.h"

namespace spillway {

// Is the order too large to be derived, or so large that it is better streamed? Contract: the experiment was
// read, so that what cannot be derived can be streamed.
bool is_streamed(const Experiment& experiment, const ScheduleSpec& schedule);

// By draw, from the first. Owner maps are planned as plan() does. Throws InputError where the schedule wants
// what a stream has not: microbatches in another order than as sampled, a map for each draw, a memory limit.
std::vector<StepFigures> streamed_draws(const DrawCosts& costs, const ScheduleSpec& schedule,
                                        std::uint32_t draws);

}  // namespace spillway
