// What a Timeline says about each rank: busy, communicating, idle, slack before the first backbone forward,
// the encoder work put there and what of it spills. Definitions: README, "What the figures mean".
#pragma once

#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "derive/derive.h"
#include "timing/timeline.h"

namespace spillway {

struct RankFigures {
  ReplicaId replica;
  RankId rank;
  Seconds busy;           // computing events
  Seconds communication;  // transfers it sends and reduces it takes part in
  Seconds bubble;         // makespan - busy
  Seconds idle;           // the paper's bub(r): makespan - all events of nodes(r)
  Seconds first_start;    // first computing event
  Seconds last_end;       // last computing event
  Seconds warmup_slack;   // w_r: idle time before the first backbone forward, encoder durations zero
  Seconds encoder;        // E_r: encoder forwards
  Seconds spill;          // max(0, E_r - w_r)
};

// w_r by replica, then rank: idle time before the rank's first backbone forward; zero where it has none. Both
// arguments with encoder durations zero.
std::vector<Seconds> warmup_slack(const Derived& derived, const Durations& free_durations,
                                  const Timeline& free_timeline);

// `timeline` and `durations` with the encoder counted, `encoder_forwards` what of each event is encoder
// forward, `free_*` the longest path with encoder durations zero. Replica by replica, rank by rank.
std::vector<RankFigures> rank_figures(const Derived& derived, const Durations& durations,
                                      const Durations& encoder_forwards, const Timeline& timeline,
                                      const Durations& free_durations, const Timeline& free_timeline);

// 1 - sum of busy / (ranks x makespan), over all replicas.
double bubble_fraction(const std::vector<RankFigures>& ranks, Seconds makespan);

// The bubble rate of Qi et al., Zero Bubble Pipeline Parallelism (ICLR 2024): the idle share of the longest
// span of a rank, from its first to its last computing event. What comes before and after does not count.
// Contract: at least one rank.
double bubble_rate(const std::vector<RankFigures>& ranks);

}  // namespace spillway
