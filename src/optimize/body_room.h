// What a body leaves idle when it runs by itself, on expected times. Private to src/optimize.
#pragma once

#include <vector>

#include "optimize/owner_plan.h"
#include "optimize/rank_gaps.h"

namespace spillway {

// Means over draws and replicas; no pass takes less than `least`.
struct BodyRoom {
  std::vector<RankGaps> gaps;           // by rank
  std::vector<Seconds> enters, leaves;  // by microbatch: into the body, and its gradient out of it
  std::vector<std::vector<Seconds>> encode, backward;  // of the input, by microbatch, passes as they run
  bool has_backward = false;                           // the input, as Lemma 1 has it
  Seconds gather, scatter;  // of what the input hands over and gets back: the longest
  Seconds least;
};

// Contract: as plans_in_gaps (input_gaps.h).
BodyRoom body_room(const OwnerRequest& request, const Derived& derived);

}  // namespace spillway
