// Schedules held against each other, draw by draw: a speedup over a weak baseline says little of what is
// transposed.
#pragma once

#include <vector>

#include "evaluate/evaluation.h"

namespace spillway {

// 1 also where neither takes time.
inline double speedup(Seconds before, Seconds now) {
  return before == now ? 1 : before / now;
}

// By draw.
std::vector<double> speedups_over(const ScheduleResult& reference, const ScheduleResult& schedule);

// The least mean makespan of what transposes nothing and fits, the experiment's own and what was added; null
// where there is none.
const ScheduleResult* quickest_plain(const Evaluation& evaluation);

}  // namespace spillway
