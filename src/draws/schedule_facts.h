// What holds of a schedule for a job, whatever the step: its terms, and the groups of microbatches that
// nobody stated.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "experiment/experiment.h"

namespace spillway {

// Of what a schedule does for a job: where there is one replica no sample moves, where nothing is drawn every
// plan knows the sizes, if they are stated and differ.
Terms terms_of(const ScheduleSpec& schedule, const Pipeline& job, const JobCosts& costs);

// Are sizes stated that differ by microbatch, and does a plan of the schedule see them?
bool plans_on_stated_sizes(const ScheduleSpec& schedule, const JobCosts& costs);

// Groups of interleaved 1F1B: what is said of them where they are not of as many microbatches as there are
// ranks, which Megatron takes unless it is told: nothing where they are, or where the schedule states its
// own.
std::optional<std::string> describe_groups(const ScheduleSpec& schedule, const Pipeline& job);

}  // namespace spillway
