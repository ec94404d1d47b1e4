// What the ranks of a schedule hold, for people.
#pragma once

#include <cstddef>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// "peak memory 71.31 GB on rank 0 at 3.21 s: parameters 20.1 GB, ...", and that this is above the limit,
// where it is. Wrapped at `columns`; empty where memory was not computed.
std::string memory_line(const Evaluation& evaluation, const ScheduleResult& schedule, std::size_t columns);

// "71.31 GB", with an exclamation mark where that does not fit; "?" where memory was not computed.
std::string memory_mark(const Evaluation& evaluation, const ScheduleResult& schedule);

// Per rank what it holds when it holds the most, over all replicas and draws. Empty where memory was not
// computed.
std::string memory_table(const ScheduleResult& schedule);

// Per rank what it holds over the first draw of the first replica: each character an equal slice of the step,
// a digit the full tenths, of the most that any rank holds, that it reaches there. Empty where memory was not
// computed.
std::string memory_picture(const ScheduleResult& schedule, std::size_t columns);

}  // namespace spillway
