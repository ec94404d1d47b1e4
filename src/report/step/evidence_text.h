// The evidence and the inputs of a predicted time, and the warnings about it, in words.
#pragma once

#include <cstddef>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// Returns two lines, wrapped at `columns`. The first states the weakest evidence that any operator time has,
// and the shares of all kinds. The second names the longest operator shapes without a measurement, if there
// are any. Empty if no operators were priced.
std::string evidence_lines(const ScheduleResult& schedule, std::size_t columns);

// Returns a table of at most 20 shapes without a measurement, longest first, and the number of further ones.
// Empty if there are none.
std::string unmeasured_table(const ScheduleResult& schedule);

// Returns every platform number that the evaluation used, with kind and source, wrapped at `columns`. Empty
// if durations are given.
std::string inputs_text(const Evaluation& evaluation, std::size_t columns);

// Returns the fitted parameters and the assumptions, after an empty line. Empty if there are none.
std::string provenance(const Evaluation& evaluation, std::size_t columns);

// Returns the warnings that hold for all schedules, then each schedule's own under its name, wrapped at
// `columns`. Empty if there are none.
std::string warning_lines(const Evaluation& evaluation, std::size_t columns);

}  // namespace spillway
