// What a schedule's step takes in the mean over its draws.
#pragma once

#include "evaluate/evaluate.h"

namespace spillway {

// Contract: at least one draw.
Seconds mean_makespan(const ScheduleResult& schedule);

}  // namespace spillway
