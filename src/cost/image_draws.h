// Images as a source of draws for given durations: the factor of a microbatch is its patches over those that
// the profile is of. The images follow from workload, seed, draw and replica alone, so schedules, rank counts
// and cuts see the same ones, as do blocks of the same workload, and fewer microbatches see the first of
// more. Test: tests/cost/image_draws_test.cpp.
#pragma once

#include "cost/given.h"
#include "workload/sample_cache.h"

namespace spillway {

// Takes `work` of the blocks that have image_work from it, and leaves none to draw; other blocks stay as they
// are. Contract: profile_patches > 0, the workload is as sample() wants it.
void draw_image_work(GivenCosts& costs, const DrawOf& draw, SampleCache& samples);

}  // namespace spillway
