// Passes of a transposed input right beside those of the stage at which its outputs enter the body. Private
// to src/optimize.
#pragma once

#include "derive/input_rule.h"
#include "optimize/input_gaps.h"

namespace spillway {

// Forwards: OneEach, those of the first P microbatches before the body of a rank each, those of the others on
// the rank at which they enter the body, right before they do; Enclosing, before the body, microbatch j on
// rank j mod P. Backwards: BehindBody, there; AtEntry, all right behind the body's last backward of the
// microbatch, on its rank; Returned, so those whose owner that rank is, the
// others behind their owners' bodies. Contract: `derived` has a transposed input and something pipelined
// behind it; nothing of it is placed.
InputPlan plan_at_entry(const Derived& derived, const InputRule& rule);

}  // namespace spillway
