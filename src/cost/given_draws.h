// Given durations whose work is drawn: from measured microbatches (measured_draws.h) or from images
// (image_draws.h).
#pragma once

#include "cost/given.h"
#include "workload/sample_cache.h"

namespace spillway {

// Has any block work that is drawn?
bool is_drawn(const GivenCosts& costs);

// The costs with all of it drawn, and nothing left to draw. Same arguments, same draw, on every machine; draw
// `n` does not depend on how many are made. Contract: what both headers ask for.
GivenCosts drawn(GivenCosts costs, const DrawOf& draw, SampleCache& samples);

}  // namespace spillway
