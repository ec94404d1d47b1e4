// Splits layers over stages by the load of ranks, each of which may have several stages.
//
// Idea: a step is at least as long as its busiest rank. A split that makes the longest stage shortest
// (balanced_split) can still give one rank several long stages. So begin with that split, and let one layer
// go from a stage to another, through all stages between, as long as the loads of ranks get more even: their
// largest, then the sum of their squares, then the same of stages.
//
// Example: layers of 8, 2, 1, 1, 1, 1, 1, 1 s on two ranks with two stages each, in a loop. Even stages of 8,
// 3, 3, 2 s give the ranks 11 and 5 s. The split 8 | 2 1 1 | 1 | 1 1 1 gives them 9 and 7 s.
//
// Cost: O(stages^2 x ranks) for each layer that goes. Source: local search on the makespan of parallel
// machines, E. Aarts, J. K. Lenstra, Local Search in Combinatorial Optimization (1997), chapter 11. Test:
// tests/synthesize/stage_layers_test.cpp, against all splits. Private to src/synthesize.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

// Returns the number of layers of each stage, input first. `stage_rank`: the rank of each stage. Contract: at
// least one layer for each stage.
std::vector<std::uint32_t> split_by_rank(std::span<const Seconds> layers, std::span<const RankId> stage_rank);

}  // namespace spillway
