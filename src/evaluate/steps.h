// What the steps of schedules take in the mean over their draws, and held against each other, draw by draw: a
// speedup over a weak baseline says little of what is transposed.
#pragma once

#include <vector>

#include "evaluate/evaluation.h"
#include "evaluate/point.h"

namespace spillway {

// Contract: at least one draw.
Seconds mean_makespan(const ScheduleResult& schedule);
Seconds mean_makespan(const ScheduleOutcome& schedule);

// 1 also where neither takes time.
inline double speedup(Seconds before, Seconds now) {
  return before == now ? 1 : before / now;
}

// By draw.
std::vector<double> speedups_over(const ScheduleResult& reference, const ScheduleResult& schedule);

// The least mean makespan of plain pipelines that fit, the experiment's own and what was added; null where
// there is none. Plain is what transposes nothing, moves no samples, cuts no microbatches and gives no module
// devices of its own.
const ScheduleResult* fastest_plain(const Evaluation& evaluation);

// What the answer of a run is about.
struct Headline {
  const ScheduleResult* winner;    // the fastest that fits, or where none does the fastest
  bool fits;                       // is what fits, or may
  const ScheduleResult* rival;     // the fastest plain pipeline, or the next that fits; null: none
  bool rival_is_plain;             // and the winner is not
  const ScheduleResult* baseline;  // null: the winner or the rival is it
};
Headline headline(const Evaluation& evaluation);

// What the winner is held against, with layers split by what they take where they were split by count.
struct SplitAlike {
  const ScheduleResult* over;  // as it is
  const ScheduleResult *winner, *rival;
};

// Of each side of the headline that is split by another rule than the winner. Empty where that changes no
// layer. Layers that are stated stay.
std::vector<SplitAlike> split_alike(const Evaluation& evaluation);

// One of the experiment's schedules that split_alike() needs once more, split by what layers take: by the
// rule of the headline's first side that has one, or stated where none has.
struct ToSplit {
  std::size_t schedule;
  SplitRule like;
};
std::vector<ToSplit> to_split_by_cost(const Evaluation& evaluation);

}  // namespace spillway
