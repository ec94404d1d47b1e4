// What a schedule's step takes in the mean over its draws.
#pragma once

#include <string>

#include "evaluate/evaluation.h"
#include "evaluate/point.h"

namespace spillway {

// Contract: at least one draw.
Seconds mean_makespan(const ScheduleResult& schedule);
Seconds mean_makespan(const ScheduleOutcome& schedule);

// "1.235 s", for a sentence.
std::string seconds_text(Seconds time);

}  // namespace spillway
