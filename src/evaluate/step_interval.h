// How long a step may be, for all that is not known of the machine and the software it runs on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiment/experiment.h"
#include "optimize/prepared_order.h"

namespace spillway {

// Over what is predicted: 90 % of the draws lie between.
struct StepInterval {
  double low;
  double high;
  std::uint32_t draws;
  std::vector<double> by_draw = {};  // the same draws of the machine for every schedule of an experiment
};
inline constexpr double kIntervalHolds = 0.9;

// Of the speedup of a schedule over a baseline, of one experiment: both under the same draws, so that what
// they share is no reason to doubt which is faster. Over the speedup as predicted.
StepInterval speedup_interval(const StepInterval& baseline, const StepInterval& schedule);

// By the longest path under the first draw of the workload, in the order that is planned with what is known
// (cost/unknowns.h says what is drawn). Nothing where durations are given. Contract: nothing is left to fit.
std::optional<StepInterval> step_interval(const Experiment& experiment, const ScheduleSpec& schedule,
                                          OrderCache& orders);

}  // namespace spillway
