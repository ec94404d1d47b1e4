// Warm-up slack w_r (paper section 3.3): the idle time of rank r before its first event of the fed region, if
// the transposed work and the transfers of its outputs take no time. A rank without such an event takes its
// first event of a later region; a rank with none has w_r = 0. So w_r does not depend on the owner map. Idle
// time is that of RankFigures (figures.h).
//
// Idea: only the events that some rank's first event waits for matter: in 1F1B, P forwards and their
// transfers. A pass over them costs almost nothing compared with a longest path. Test:
// tests/timing/warm_up_test.cpp, against the longest path of the whole order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "derive/feeding.h"
#include "order/durations.h"

namespace spillway {

class WarmUp {
 public:
  // Views the order only during construction. Contract: `feeding` is of `derived`.
  WarmUp(const Derived& derived, const Feeding& feeding);

  // The events whose durations matter, ascending.
  std::vector<EventId> events() const;

  // w_r lane by lane and rank by rank, from the durations of events(). Contract: the number of lanes is a
  // multiple of the joined_replicas of every computing event, or one lane stands for all.
  std::vector<std::vector<Seconds>> slack(const Durations& of_events) const;

 private:
  // A rank's first event, or an event that one waits for.
  struct Step {
    EventId event;
    std::uint32_t joined;
    bool free;
    std::vector<std::uint32_t> before;  // positions in steps_; none: it may start at once
  };
  struct Rank {
    std::optional<std::uint32_t> first;
    std::vector<std::uint32_t> before;  // events that occupy the rank before its first
  };

  void run(const Durations& of_events, PerEvent<Seconds>& start, PerEvent<Seconds>& end) const;

  std::vector<Step> steps_;  // in topological order
  std::vector<Rank> ranks_;
};

// The slack of every lane; empty if no transposed region feeds a Sharded one.
std::vector<std::vector<Seconds>> warm_up_slack(const Derived& derived, const Durations& durations);

struct TimeSpan {
  Seconds start;
  Seconds end;
};

// The part of [0, until) that no span covers. It is a sum of gaps, so it is never negative. Spans may
// overlap, be in any order, and reach beyond `until`.
Seconds idle_time(std::vector<TimeSpan> spans, Seconds until);

}  // namespace spillway
