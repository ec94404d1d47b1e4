// Given durations whose work is drawn: from measured microbatches (measured_draws.h) or from images. Of those
// the factor of a microbatch is its patches over those that the profile is of. The images follow from
// workload, seed, draw and replica alone, so schedules, rank counts and cuts see the same ones, as do blocks
// of the same workload, and fewer microbatches see the first of more.
#pragma once

#include "cost/given.h"
#include "workload/sample_cache.h"

namespace spillway {

// Has any block work that is drawn?
bool is_drawn(const GivenCosts& costs);

// The costs with all of it drawn, and nothing left to draw. Same arguments, same draw, on every machine; draw
// `n` does not depend on how many are made. Contract: what measured_draws.h asks for; of image_work,
// profile_patches > 0, and the workload as sample() wants it.
GivenCosts drawn(GivenCosts costs, const DrawOf& draw, SampleCache& samples);

}  // namespace spillway
