// Given durations whose work is drawn: from images or from measured microbatches.
//
// Of images, the factor of a microbatch is its patches over those that the profile is of. The images follow
// from workload, seed, draw and replica alone, so schedules, rank counts and cuts see the same ones, as do
// blocks of the same workload, and fewer microbatches see the first of more.
//
// Of measured variation, each replica of a draw runs what one replica ran in one measured
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
#include "workload/sample_cache.h"
#include "workload/workload.h"

namespace spillway {

// Has any block work that is drawn?
bool is_drawn(const GivenCosts& costs);

// The costs with all of it drawn, and nothing left to draw. Same arguments, same draw, on every machine; draw
// `n` does not depend on how many are made. Contract: what draw_measured_work() asks for; of image_work,
// profile_patches > 0, and the workload as sample() wants it.
GivenCosts drawn(GivenCosts costs, const DrawOf& draw, SampleCache& samples);

// Takes `work` and `backward_work` of the blocks that have measured work from it, and leaves none to draw;
// other blocks stay as they are. Same arguments, same draw, on every machine; draw `n` does not depend on how
// many are made. Contract: blocks that have measured work have it of the same steps, replicas and
// microbatches, of each at least one.
void draw_measured_work(GivenCosts& costs, const DrawOf& draw);

}  // namespace spillway
