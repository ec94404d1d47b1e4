// One microbatch of a transposed input for each rank, the others where they enter the body. Private to
// src/policy.
#pragma once

#include "policy/input_gaps.h"

namespace spillway {

// Forwards of the first P microbatches run before the body of a rank each, those of the others on the rank at
// which they enter the body, right before they do; backwards behind the body. Contract: `derived` has a
// transposed input and something pipelined behind it; nothing of it is placed.
InputPlan plan_one_each(const Derived& derived);

}  // namespace spillway
