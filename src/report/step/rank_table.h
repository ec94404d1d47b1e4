// Where the time of each rank goes.
#pragma once

#include <string>

#include "evaluate/evaluation.h"
#include "words/duration_text.h"

namespace spillway {

// One line per shown rank, times in `unit`: means over replicas and draws, and where there are several of
// them, the largest encoder work and spill among them.
std::string rank_table(const ScheduleResult& schedule, TimeUnit unit);

}  // namespace spillway
