// Mean steps of schedules over their draws, and comparisons of them draw by draw. A transposed schedule needs
// a strong reference, since a speedup over a weak baseline says little.
#pragma once

#include <vector>

#include "evaluate/evaluation.h"
#include "evaluate/point.h"

namespace spillway {

// Contract: at least one draw.
Seconds mean_makespan(const ScheduleResult& schedule);
Seconds mean_makespan(const ScheduleOutcome& schedule);

// Returns the mean over the draws of the bound of any order of the same passes on the same ranks. Empty if
// the order was streamed.
std::optional<Seconds> mean_bound(const ScheduleResult& schedule);

// Returns how far a step is above its bound, as a share of the bound. Rounding counts as 0.
double gap_to_bound(Seconds step, Seconds bound);

// 1 if neither takes time.
inline double speedup(Seconds before, Seconds now) {
  return before == now ? 1 : before / now;
}

// Returns the speedup of each draw.
std::vector<double> speedups_over(const ScheduleResult& reference, const ScheduleResult& schedule);

// Returns the plain pipeline with the least mean makespan of those that fit, among the experiment's and the
// added ones, or null. A plain pipeline transposes nothing, moves no samples, cuts no microbatches and has no
// modules on dedicated devices.
const ScheduleResult* fastest_plain(const Evaluation& evaluation);

// The schedules that the answer of a run names.
struct Headline {
  const ScheduleResult* winner;    // the fastest ranked schedule that fits; the fastest if none does
  bool fits;                       // the winner fits, or may fit
  const ScheduleResult* rival;     // the fastest plain pipeline, or the next that fits; null if there is none
  bool rival_is_plain;             // and the winner is not plain
  const ScheduleResult* baseline;  // null if the winner or the rival is the baseline
};
Headline headline(const Evaluation& evaluation);

// The winner and a rival, with layers split by their time if they were split by count.
struct SplitAlike {
  const ScheduleResult* over;  // the rival as it is
  const ScheduleResult *winner, *rival;
};

// Returns one entry for each side of the headline that is split by another rule than the winner. Empty if
// that changes no layer. Stated layers stay.
std::vector<SplitAlike> split_alike(const Evaluation& evaluation);

// A schedule of the experiment that split_alike() needs again with layers split by their time. `like` is the
// rule of the headline's first side that is split by time, or Stated if there is none.
struct ToSplit {
  std::size_t schedule;
  SplitRule like;
};
std::vector<ToSplit> to_split_by_cost(const Evaluation& evaluation);

}  // namespace spillway
