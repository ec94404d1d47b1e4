// What the steps of schedules take in the mean over their draws, and held against each other, draw by draw: a
// speedup over a weak baseline says little of what is transposed.
#pragma once

#include <string>
#include <vector>

#include "evaluate/evaluation.h"
#include "evaluate/point.h"

namespace spillway {

// Contract: at least one draw.
Seconds mean_makespan(const ScheduleResult& schedule);
Seconds mean_makespan(const ScheduleOutcome& schedule);

// "1.235 s", for a sentence.
std::string seconds_text(Seconds time);

// 1 also where neither takes time.
inline double speedup(Seconds before, Seconds now) {
  return before == now ? 1 : before / now;
}

// By draw.
std::vector<double> speedups_over(const ScheduleResult& reference, const ScheduleResult& schedule);

// The least mean makespan of plain pipelines that fit, the experiment's own and what was added; null where
// there is none. Plain is what transposes nothing, moves no samples, cuts no microbatches and gives no module
// devices of its own.
const ScheduleResult* quickest_plain(const Evaluation& evaluation);

}  // namespace spillway
