// The simple pipelines that transposed schedules and those of systems are compared with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/evaluation.h"
#include "experiment/experiment.h"

namespace spillway {

// What stands beside a transposed schedule, or a system's: its body over the whole model, layers shared out
// by what they take
// ("split": "balanced", of woven regions "joint"), microbatches as they are drawn, or, where the terms of all
// systems move samples, with those dealt out; 1F1B where the body has no
// one skeleton of its own or the model is too small for its stages. Named "balanced-zb-v". Nothing where the
// model is too small for 1F1B, too.
std::optional<ScheduleSpec> balanced_beside(const Experiment& experiment, const ScheduleSpec& transposed);

// Those that the experiment lacks, each once, in the order of what they stand beside.
std::vector<ScheduleSpec> missing_references(const Experiment& experiment);

// Where it is: among the experiment's schedules or else among the `missing` ones; it may be the schedule
// itself. Nothing for a schedule that transposes nothing and is no system's.
std::optional<Beside> beside(const Experiment& experiment, const ScheduleSpec& schedule,
                             const std::vector<ScheduleSpec>& missing);

}  // namespace spillway
