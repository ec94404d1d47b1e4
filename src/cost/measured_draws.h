// Measured variation as a source of draws: each replica of a draw runs what one replica ran in one measured
// step, a case.
//
//   trace:  step 7, replica 1, stage 0: forwards of 1.02, 0.97, 1.00, 1.31 times the mean, ...
//   draw 3: step 7, its replica 1 as replica 1, microbatch by microbatch, in all blocks at once
//
// What goes together stays together where it can: where there are as many replicas as were measured, they are
// those of one step, because one of them may be slow in every step; otherwise each takes any case. Where
// there are as many microbatches, they are those of the case, in order; otherwise each is drawn from it, with
// replacement, but with its factors of all blocks and both directions. Test:
// tests/cost/measured_draws_test.cpp.
#pragma once

#include "cost/given.h"
#include "workload/workload.h"

namespace spillway {

inline bool has_measured_work(const BlockProfile& block) {
  return !block.measured_work.empty();
}

// Takes `work` and `backward_work` of the blocks that have measured work from it, and leaves none to draw;
// other blocks stay as they are. Same arguments, same draw, on every machine; draw `n` does not depend on how
// many are made. Contract: blocks that have measured work have it of the same steps, replicas and
// microbatches, of each at least one.
void draw_measured_work(GivenCosts& costs, const DrawOf& draw);

}  // namespace spillway
