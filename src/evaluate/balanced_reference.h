// The simple pipelines that transposed schedules and those of systems are compared with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/evaluation.h"
#include "experiment/experiment.h"

namespace spillway {

// Returns the reference of a transposed schedule, or of a system's: its body over the whole model, with
// layers split by their time ("split": "balanced", or "joint" for interleaved regions). Microbatches are as
// drawn. If the terms of all systems move samples, the samples are distributed by size. The skeleton is 1F1B
// if the body has no single skeleton of its own, or if the model is too small for its stages. The name is,
// for example, "balanced-zb-v". Empty if the model is too small for 1F1B, too.
std::optional<ScheduleSpec> balanced_beside(const Experiment& experiment, const ScheduleSpec& transposed);

// Returns the references that the experiment lacks, each once, in the order of its schedules.
std::vector<ScheduleSpec> missing_references(const Experiment& experiment);

// Returns the place of the schedule's reference: in the experiment's schedules, where it may be the schedule
// itself, or else in `missing`. Empty if the schedule transposes nothing and is not of a system.
std::optional<Beside> beside(const Experiment& experiment, const ScheduleSpec& schedule,
                             const std::vector<ScheduleSpec>& missing);

}  // namespace spillway
