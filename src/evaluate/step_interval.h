// The interval of a step's time, given the unknowns of the machine and the software.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/unknowns.h"
#include "experiment/experiment.h"
#include "optimize/prepared_order.h"

namespace spillway {

// An unknown and its share: the variance of the step's logarithm if it is drawn alone, over the sum of those
// of all unknowns.
struct IntervalPart {
  Unknown unknown;
  double share;
};

// Relative to the predicted step. 90 % of the draws lie between the bounds.
struct StepInterval {
  double low;
  double high;
  std::uint32_t draws;
  std::vector<double> by_draw = {};         // draw i has the same machine in every schedule of an experiment
  std::vector<IntervalPart> rests_on = {};  // most first; empty unless asked for (interval_parts)

  bool holds(Seconds measured, Seconds predicted) const {
    return predicted * low <= measured && measured <= predicted * high;
  }
};
inline constexpr double kIntervalHolds = 0.9;

// Returns the interval of a schedule's speedup over a baseline of the same experiment, relative to the
// predicted speedup. Both are taken on the same draws, so shared unknowns do not widen it.
StepInterval speedup_interval(const StepInterval& baseline, const StepInterval& schedule);

// Returns the interval of each schedule's longest path on the first draw of the workload, in the order that
// is planned with the known values (cost/unknowns.h lists what is drawn). Empty if durations are given.
// Contract: there is a schedule, and nothing is left to fit.
std::vector<StepInterval> step_intervals(const Experiment& experiment,
                                         std::span<const ScheduleSpec> schedules, OrderCache& orders);

// Returns every unknown that the step depends on, most first, each drawn alone a tenth as often as
// for the interval. Contract: that of step_intervals(), and there is a platform.
std::vector<IntervalPart> interval_parts(const Experiment& experiment, const ScheduleSpec& schedule,
                                         OrderCache& orders);

}  // namespace spillway
