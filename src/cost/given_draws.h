// Given durations whose work is drawn: from measured microbatches (measured_draws.h) or from images.
#pragma once

#include <cstdint>

#include "cost/given.h"
#include "workload/sample_cache.h"

namespace spillway {

// Images as a source of draws: the factor of a microbatch is its patches over those that the profile is of.
// The images follow from workload, seed, draw and replica alone, so schedules, rank counts and cuts see the
// same ones, as do blocks of the same workload, and fewer microbatches see the first of more. Takes `work` of
// the blocks that have image_work from it, and leaves none to draw; other blocks stay as they are. Contract:
// profile_patches > 0, the workload is as sample() wants it.
void draw_image_work(GivenCosts& costs, std::uint32_t microbatches, std::uint32_t replicas,
                     std::uint64_t seed, std::uint32_t draw, SampleCache& samples);

// Has any block work that is drawn?
bool is_drawn(const GivenCosts& costs);

// The costs with all of it drawn, and nothing left to draw. Same arguments, same draw, on every machine; draw
// `n` does not depend on how many are made. Contract: what both sources ask for.
GivenCosts drawn(GivenCosts costs, std::uint32_t microbatches, std::uint32_t replicas, std::uint64_t seed,
                 std::uint32_t draw, SampleCache& samples);

}  // namespace spillway
