// Passes of a transposed input one at a time between the pipeline's own.
#pragma once

#include "optimize/input_gaps.h"

namespace spillway {

// Microbatch j belongs to rank j mod P. The first P are encoded before the body; each other one right before
// its rank's own forward of microbatch j - P in the first of its stages, so that every rank encodes once for
// every P forwards and an output is there when the pipeline asks for it. Backwards in the same way: before
// the rank's backward of microbatch j + P in that stage, the last P of them behind the body. Contract: as
// plan_at_entry's.
InputPlan plan_uniform(const Derived& derived);

}  // namespace spillway
