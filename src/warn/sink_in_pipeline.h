// A transposed last region against the same layers in the pipeline, shared out over its stages: where these
// come out even, or few microbatches hide little, the pipeline may be the faster one.
#pragma once

#include <optional>
#include <vector>

#include "base/warning.h"
#include "evaluate/evaluation.h"

namespace spillway {

// The schedule without the transposes behind its last pipelined region, whose layers that region takes, with
// "split": "balanced". Nothing where none is behind it, or where the model or a listed order does not allow
// it.
std::optional<ScheduleSpec> with_sink_in_pipeline(const Experiment& experiment, const ScheduleSpec& schedule);

// "transposed-sink" where the schedule's step is more than a hundredth longer than that, by the mean of the
// longest paths of all draws, and that is not known not to fit the memory. `fitted` are set before.
std::vector<Warning> sink_warnings(Experiment experiment, const ScheduleSpec& schedule,
                                   const std::vector<FittedParameter>& fitted);

}  // namespace spillway
