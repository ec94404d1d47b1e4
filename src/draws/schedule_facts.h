// Facts about a schedule of a job that hold for every step: its terms, and its default groups of
// microbatches.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "experiment/experiment.h"

namespace spillway {

// Returns the terms of a schedule for a job. With one replica no sample moves. If nothing is drawn, a plan
// knows the sizes of the draw if these are stated and differ.
Terms terms_of(const ScheduleSpec& schedule, const Pipeline& job, const JobCosts& costs);

// Returns true if the stated sizes differ by microbatch and a plan of the schedule uses them.
bool plans_on_stated_sizes(const ScheduleSpec& schedule, const JobCosts& costs);

// Describes the groups of interleaved 1F1B that are not of as many microbatches as there are ranks, which is
// Megatron's default. Empty if they are, or if the schedule states its groups.
std::optional<std::string> describe_groups(const ScheduleSpec& schedule, const Pipeline& job);

}  // namespace spillway
