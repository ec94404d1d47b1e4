// A table of the parts of each rank's time.
#pragma once

#include <string>

#include "evaluate/evaluation.h"
#include "words/duration_text.h"

namespace spillway {

// Returns one line for each shown rank, with times in `unit`, as means over replicas and draws. If there are
// several replicas or draws, it adds their largest encoder time and spill.
std::string rank_table(const ScheduleResult& schedule, TimeUnit unit);

}  // namespace spillway
