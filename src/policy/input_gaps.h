// Passes of a transposed input in the gaps of the body that it feeds.
#pragma once

#include <functional>
#include <vector>

#include "policy/owner_plan.h"

namespace spillway {

// Which rank takes which microbatch, and what of it runs inside the rank's body (DeriveOptions).
struct InputPlan {
  OwnerMap owner;
  std::vector<std::vector<PlacedPass>> placed;  // by rank
  std::vector<HiddenPass> hidden;
};

// On what the draws expect. As many microbatches as the schedule's input rule says are encoded before the
// body, one on each rank; each further one in gaps, all on the rank that is done with it first and in time,
// gaps being what the body leaves idle behind those first ones and, where the rule says so, the time in which
// its passes communicate; where no rank is, before the body, too, on the rank that then waits longest.
// Backwards run on the rank of their forward, each in the first gap behind its gradient that is long enough,
// else behind the body. `derive_with` derives the step with an owner map. Contract: the request's schedule
// has a transposed input and something pipelined behind it.
InputPlan plan_in_gaps(const OwnerRequest& request,
                       const std::function<Derived(const OwnerMap&)>& derive_with);

}  // namespace spillway
