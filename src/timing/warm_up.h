// Warm-up slack w_r (paper section 3.3): the idle time of rank r before its first event of the region that is
// fed (any later region where it has none; none at all: 0), the transposed work and what carries its outputs
// free. So it does not depend on who encodes what. Idle: as in RankFigures (figures.h).
//
// Idea: of all the order only those events matter that some rank's first one waits for, P forwards and their
// transfers in 1F1B, so that a pass over them costs next to nothing beside a longest path.
// Test: tests/timing/warm_up_test.cpp, against the longest path of the whole order.
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
  // Views the order no longer than it takes. Contract: `feeding` is of `derived`.
  WarmUp(const Derived& derived, const Feeding& feeding);

  // Those whose durations matter, ascending.
  std::vector<EventId> events() const;

  // Lane by lane, rank by rank, of the durations of events(). Contract: the lanes are a multiple of the
  // joined_replicas of every computing event, or one lane stands for all.
  std::vector<std::vector<Seconds>> slack(const Durations& of_events) const;

 private:
  // An event that some rank's first one waits for, or is one.
  struct Step {
    EventId event;
    std::uint32_t joined;
    bool free;
    std::vector<std::uint32_t> before;  // positions in steps_; none: it may start at once
  };
  struct Rank {
    std::optional<std::uint32_t> first;
    std::vector<std::uint32_t> before;  // what occupies it before that
  };

  void run(const Durations& of_events, PerEvent<Seconds>& start, PerEvent<Seconds>& end) const;

  std::vector<Step> steps_;  // each behind those it waits for
  std::vector<Rank> ranks_;
};

// Of every lane. Empty where no transposed region feeds a Sharded one.
std::vector<std::vector<Seconds>> warm_up_slack(const Derived& derived, const Durations& durations);

struct TimeSpan {
  Seconds start;
  Seconds end;
};

// How much of [0, until) none of the spans covers: the sum of the gaps, so never negative. They may overlap,
// lie in any order, and reach beyond `until`.
Seconds idle_time(std::vector<TimeSpan> spans, Seconds until);

}  // namespace spillway
