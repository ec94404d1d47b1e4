// Passes of a transposed input in the gaps of the body that it feeds.
#pragma once

#include <vector>

#include "optimize/owner_plan.h"

namespace spillway {

// Which rank takes which microbatch, and what of it runs inside the rank's body (DeriveOptions).
struct InputPlan {
  OwnerMap owner;
  std::vector<std::vector<PlacedPass>> placed;  // by rank
  std::vector<HiddenPass> hidden;
};

// On what the draws expect. Encodes run in gaps, all of a microbatch's on the rank that is done with it
// first: what the body leaves idle and, where the schedule's input rule says so, the time in which its passes
// communicate. The body begins so late that every encode ends in time: in the first plan no later than that,
// in the last so late that all run before it. Backwards run on the rank of their forward, each in the first
// gap behind its gradient that is long enough, else behind the body. Contract: the request's schedule, which
// `derived` is of with any owners, has a transposed input and something pipelined behind it; nothing of it is
// placed.
std::vector<InputPlan> plans_in_gaps(const OwnerRequest& request, const Derived& derived);

}  // namespace spillway
