// What a body leaves idle when it runs by itself, on expected times. Private to src/optimize.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "derive/derive.h"
#include "optimize/owner_plan.h"

namespace spillway {

// Room for passes: between two events of the body, or while one of them communicates.
struct RankGap {
  std::uint32_t before;            // which event of the body stands behind what is put here
  Seconds from, to;                // of a host its own time
  std::optional<Event> host = {};  // which communicates
  Seconds room = {};               // of a host: what it communicates
};

// Where a pass begins, and in which gap.
struct GapUse {
  std::size_t gap;
  Seconds at;
  Seconds end;
};

class RankGaps {
 public:
  void add(const RankGap& gap) { gaps_.push_back(gap); }  // in the order of time
  const RankGap& operator[](std::size_t gap) const { return gaps_[gap]; }

  // One pass after the other from `ready` on, each in the first gap that has room for it, as long as there is
  // one that ends by `until`: a use for each that found its place.
  std::vector<GapUse> fit(std::span<const Seconds> passes, Seconds ready, std::optional<Seconds> until) const;
  void take(const GapUse& use, Seconds pass);

  // The body begins later; the gap before it began with the step.
  void delay(Seconds later);

 private:
  std::vector<RankGap> gaps_;
};

// Means over draws and replicas; no pass takes less than `least`.
struct BodyRoom {
  std::vector<RankGaps> gaps;           // by rank
  std::vector<Seconds> enters, leaves;  // by microbatch: into the body, and its gradient out of it
  std::vector<std::vector<Seconds>> encode, backward;  // of the input, by microbatch, passes as they run
  bool has_backward = false;                           // the input, as Lemma 1 has it
  Seconds gather, scatter;  // of what the input hands over and gets back: the longest
  Seconds least;
};

// Contract: as plans_in_gaps (input_plan.h).
BodyRoom body_room(const OwnerRequest& request, const Derived& derived);

}  // namespace spillway
