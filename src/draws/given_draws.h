// Given durations whose work is drawn, from images or from measured microbatches.
//
// Images: the factor of a microbatch is its patches over the patches of the profile. The images depend on
// workload, seed, draw and replica alone. So schedules, rank counts, cuts and blocks of the same workload see
// the same images, and fewer microbatches see the first ones of more.
//
// Measured variation: each replica of a draw runs what one replica ran in one measured step, a case.
//
//   trace:  step 7, replica 1, stage 0: forwards of 1.02, 0.97, 1.00, 1.31 times the mean, ...
//   draw 3: step 7, its replica 1 as replica 1, microbatch by microbatch, in all blocks at once
//
// Correlated measurements stay together where possible. If the draw has as many replicas as were measured,
// all of them take one step, because one of them may be slow in every step; otherwise each takes any case. If
// the draw has as many microbatches, they are those of the case, in order. Otherwise each is drawn from the
// case with replacement, together with its factors of all blocks and both directions. Test:
// tests/cost/measured_draws_test.cpp.
#pragma once

#include "cost/given.h"
#include "workload/sample_cache.h"
#include "workload/workload.h"

namespace spillway {

// Return the costs with all work drawn; nothing is left to draw. The same arguments give the same draw on
// every machine; draw `n` does not depend on how many are made. Contract: that of draw_measured_work();
// profile_patches > 0 in every image_work, and a workload that sample() accepts.
GivenCosts drawn(GivenCosts costs, const DrawOf& draw, SampleCache& samples);

// Sets `work` and `backward_work` of the blocks that have measured work from it, and removes it; other blocks
// stay unchanged. The same arguments give the same draw on every machine; draw `n` does not depend on how
// many are made. Contract: all blocks with measured work were measured in the same steps, replicas and
// microbatches, at least one of each.
void draw_measured_work(GivenCosts& costs, const DrawOf& draw);

}  // namespace spillway
