// A listed schedule as an entry of an experiment's `schedules`.
#pragma once

#include <string>

#include "experiment/experiment.h"

namespace spillway {

// Returns one JSON object, with its rows as `actions`. An experiment that has it runs the schedule. Contract:
// the last region is listed; the others are transposed, and `listed` states their encodes.
std::string listed_entry(const ScheduleSpec& listed);

}  // namespace spillway
