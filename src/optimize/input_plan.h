// Plans of transposed inputs: the rank that takes each microbatch, and where its passes run. A plan gives a
// microbatch to one rank for all inputs; their passes run one after the other.
#pragma once

#include <vector>

#include "derive/derive.h"
#include "derive/input_rule.h"
#include "derive/owner.h"
#include "optimize/owner_plan.h"

namespace spillway {

// The rank that takes each microbatch, and the passes that run inside the rank's body (DeriveOptions).
struct InputPlan {
  OwnerMap owner;
  std::vector<std::vector<PlacedPass>> placed;  // by rank
  std::vector<HiddenPass> hidden;
};

// Plans on the expected times of the draws. All encodes of a microbatch run in the gaps of the rank that
// completes them first. Gaps are the idle time of the body and, if the schedule's input rule says so, the
// time in which its passes communicate. The body begins so late that every encode ends in time: in the first
// plan no later than that, in the last so late that all encodes run before it. Backwards run on the rank of
// their forward, each in the first gap behind its gradient that is long enough, else behind the body.
// Contract: `derived` has the request's schedule with any owners; that schedule has a transposed input and
// something pipelined behind it; no pass of the input is placed.
std::vector<InputPlan> plans_in_gaps(const OwnerRequest& request, const Derived& derived);

// Places passes beside those of the stage at which microbatches enter the body.
//
// Forwards. OneEach: those of the first P microbatches run before the body, one on each rank; each other one
// runs on the rank at which it enters the body, right before it does. Enclosing: all run before the body,
// microbatch j on rank j mod P.
//
// Backwards. BehindBody: all run behind the body. AtEntry: each runs right behind the body's last backward of
// its microbatch, on that rank. Returned: the same for those whose owner is that rank; the others run behind
// the bodies of their owners.
//
// Contract: `derived` has a transposed input and something pipelined behind it; no pass of the input is
// placed.
InputPlan plan_at_entry(const Derived& derived, const InputRule& rule);

// Encodes one microbatch at a time between the pipeline's passes. Microbatch j belongs to rank j mod P. The
// first P are encoded before the body. Each other one is encoded right before its rank's own forward of
// microbatch j - P in the rank's first stage. So every rank encodes once for every P forwards, and an output
// is there when the pipeline asks for it. Each backward runs before the rank's backward of microbatch j + P
// in that stage, and the last P run behind the body. Contract: that of plan_at_entry.
InputPlan plan_uniform(const Derived& derived);

}  // namespace spillway
