// Measured variation as a source of draws: each replica of a draw runs a step that was measured.
//
//   trace:  step 7, replica 1, stage 0: forwards of 1.02, 0.97, 1.00, 1.31 times the mean, ...
//   draw 3, replica 0:  that case, microbatch by microbatch, in all blocks at once
//
// A microbatch is taken whole, with its factors of all blocks and both directions, because they go together:
// long sequences are long everywhere. Where a step has as many microbatches as were measured, they come in
// the order measured; otherwise each is drawn, with replacement, from those of one case, so that what a slow
// step has in common stays together. Test: tests/cost/measured_draws_test.cpp.
#pragma once

#include <cstdint>

#include "cost/given.h"

namespace spillway {

// Has any block measured work to draw from?
bool is_drawn(const GivenCosts& costs);

// The costs with `work` and `backward_work` of blocks that have measured work taken from it, and none left to
// draw; other blocks as they are. Cases are drawn for each replica by itself. Same arguments, same draw, on
// every machine; neither draw `n` nor a replica depends on how many are made. Contract: blocks that have
// measured work have it of equally many cases, and these of equally many microbatches, of each at least one.
GivenCosts drawn(GivenCosts costs, std::uint32_t microbatches, std::uint32_t replicas, std::uint64_t seed,
                 std::uint32_t draw);

}  // namespace spillway
