// Passes of a transposed input in the gaps of the body that it feeds.
#pragma once

#include <functional>
#include <vector>

#include "policy/owner_plan.h"

namespace spillway {

// Which rank takes which microbatch, and what of it runs inside the rank's body (DeriveOptions::placed).
struct InputPlan {
  OwnerMap owner;
  std::vector<std::vector<PlacedPass>> placed;  // by rank
};

// On what the draws expect. The first P microbatches are encoded before the body, one on each rank; each
// further one in the earliest gap of any rank that ends in time for it, gaps being what the body leaves idle
// behind those first ones; where none does, before the body, too, on the rank that then waits longest.
// Backwards run on the rank of their forward, each in the first gap behind its gradient that is long enough,
// else behind the body. `derive_with` derives the step with an owner map. Contract: the request's schedule
// has a transposed input and something pipelined behind it.
InputPlan plan_in_gaps(const OwnerRequest& request,
                       const std::function<Derived(const OwnerMap&)>& derive_with);

}  // namespace spillway
