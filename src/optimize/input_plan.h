// Plans of a transposed input: which rank takes which microbatch, and where its passes run.
#pragma once

#include <vector>

#include "derive/derive.h"
#include "derive/input_rule.h"
#include "derive/owner.h"
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

// Forwards: OneEach, those of the first P microbatches before the body of a rank each, those of the others on
// the rank at which they enter the body, right before they do; Enclosing, before the body, microbatch j on
// rank j mod P. Backwards: BehindBody, there; AtEntry, all right behind the body's last backward of the
// microbatch, on its rank; Returned, so those whose owner that rank is, the
// others behind their owners' bodies. Contract: `derived` has a transposed input and something pipelined
// behind it; nothing of it is placed.
InputPlan plan_at_entry(const Derived& derived, const InputRule& rule);

// Microbatch j belongs to rank j mod P. The first P are encoded before the body; each other one right before
// its rank's own forward of microbatch j - P in the first of its stages, so that every rank encodes once for
// every P forwards and an output is there when the pipeline asks for it. Backwards in the same way: before
// the rank's backward of microbatch j + P in that stage, the last P of them behind the body. Contract: as
// plan_at_entry's.
InputPlan plan_uniform(const Derived& derived);

}  // namespace spillway
