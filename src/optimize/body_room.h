// The gaps of a body that runs without its input, on expected times. Private to src/optimize.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "derive/derive.h"
#include "optimize/owner_plan.h"

namespace spillway {

// Room for passes between two events of the body, or while one event of the body (the host) communicates.
struct RankGap {
  std::uint32_t before;            // the index of the body's event that follows passes in this gap
  Seconds from, to;                // the gap; for a host, its own time
  std::optional<Event> host = {};  // the event that communicates
  Seconds room = {};               // for a host: its communication time that is free
};

// The gap and the time of a pass.
struct GapUse {
  std::size_t gap;
  Seconds at;
  Seconds end;
};

class RankGaps {
 public:
  void add(const RankGap& gap) { gaps_.push_back(gap); }  // in ascending order of time
  const RankGap& operator[](std::size_t gap) const { return gaps_[gap]; }

  // Fits passes one after the other from `ready` on, each into the first gap with room for it. Stops at the
  // first pass that does not fit or does not end by `until`. Returns a use for each pass that fits.
  std::vector<GapUse> fit(std::span<const Seconds> passes, Seconds ready, std::optional<Seconds> until) const;
  void take(const GapUse& use, Seconds pass);

  // Begins the body later. The gap before it still starts with the step.
  void delay(Seconds later);

 private:
  std::vector<RankGap> gaps_;
};

// Means over draws and replicas. No pass takes less than `least`.
struct BodyRoom {
  std::vector<RankGaps> gaps;           // by rank
  std::vector<Seconds> enters, leaves;  // by microbatch: it enters the body, its gradient leaves it
  // Passes of the inputs by microbatch, in the order they run: of all pieces, and of those with a backward.
  std::vector<std::vector<Seconds>> encode, backward;
  std::vector<std::uint32_t> trained;  // the pieces of `backward`; empty if Lemma 1 drops them all
  Seconds gather, scatter;             // the longest transfer of the input's outputs, and of their gradients
  Seconds least;
};

// Contract: that of plans_in_gaps (input_plan.h).
BodyRoom body_room(const OwnerRequest& request, const Derived& derived);

}  // namespace spillway
