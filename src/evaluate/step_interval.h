// How long a step may be, for all that is not known of the machine and the software it runs on.
#pragma once

#include <cstdint>
#include <optional>

#include "experiment/experiment.h"
#include "policy/prepared_order.h"

namespace spillway {

// Over the step as predicted: 90 % of the draws lie between.
struct StepInterval {
  double low;
  double high;
  std::uint32_t draws;
};
inline constexpr double kIntervalHolds = 0.9;

// By the longest path under the first draw of the workload, in the order that is planned with what is known
// (cost/unknowns.h says what is drawn). Nothing where durations are given. Contract: nothing is left to fit.
std::optional<StepInterval> step_interval(const Experiment& experiment, const ScheduleSpec& schedule,
                                          OrderCache& orders);

}  // namespace spillway
