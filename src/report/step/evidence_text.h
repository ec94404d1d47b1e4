// What a predicted time rests on, in words.
#pragma once

#include <cstddef>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// Two lines of at most `columns` characters: the weakest evidence that carries time, with all shares; the
// longest operator shapes without measurement, where there are any. Nothing where no operators were priced.
std::string evidence_lines(const ScheduleResult& schedule, std::size_t columns);

// The shapes without measurement, longest first, at most 20, and how many more there are. Nothing where there
// are none.
std::string unmeasured_table(const ScheduleResult& schedule);

// Every number of the platform that was used, with kind and source, in lines of at most `columns` characters.
// Nothing where durations are given.
std::string inputs_text(const Evaluation& evaluation, std::size_t columns);

// What was fitted and what was assumed, behind an empty line; nothing where nothing was.
std::string provenance(const Evaluation& evaluation, std::size_t columns);

// Those of all schedules, then each schedule's own under its name, in lines of at most `columns` characters.
// Nothing where there are none.
std::string warning_lines(const Evaluation& evaluation, std::size_t columns);

}  // namespace spillway
