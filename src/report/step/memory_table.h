// The memory that the ranks of a schedule hold, as text for people.
#pragma once

#include <cstddef>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// Returns "peak memory 71.31 GB on rank 0 at 3.21 s: parameters 20.1 GB, ...", wrapped at `columns`. The line
// says if this is above the limit. Empty if memory was not computed.
std::string memory_line(const Evaluation& evaluation, const ScheduleResult& schedule, std::size_t columns);

// Returns "71.31 GB", "71.31 GB !" if that does not fit, or "?" if memory was not computed.
std::string memory_mark(const Evaluation& evaluation, const ScheduleResult& schedule);

// Returns a row for each shown rank: the parts of its memory at its peak over all replicas and draws. Empty
// if memory was not computed.
std::string memory_table(const ScheduleResult& schedule);

// Returns a row for each shown rank: its memory over the first draw of replica 0. Each character is an equal
// slice of the step. Its digit is the largest memory in the slice, in full tenths of the largest memory of
// any rank. Empty if memory was not computed.
std::string memory_picture(const ScheduleResult& schedule, std::size_t columns);

}  // namespace spillway
