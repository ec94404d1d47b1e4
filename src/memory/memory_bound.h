// A lower bound of the step for every order of the same passes on the same ranks that keeps a limit of
// memory.
//
// Idea: a stage holds the activations of a microbatch at least while the microbatch runs through the stages
// behind it and back. Bytes x seconds of all its microbatches add up. A rank can spend no more of them than
// its free memory in the time between its first forward and the end of its last backward. So this time is at
// least their sum divided by the free memory. This limits the warm-up: a rank with room for K microbatches
// completes no more than K in the time that one needs for the way there and back.
//
// Example: equal stages without transfers. On the first rank a microbatch lives for P (F + B). With room for
// P of them the bound is M (F + B), with room for P / 2 twice as much.
//
// Activations of transposed regions, and what a split backward keeps for its weight gradient, are left out: a
// bound may leave memory out. So are ranks that run forwards and backwards together, which free layer by
// layer. Cost: O(edges + events) for each lane. Source: the law of Little, A proof for the queuing formula
// (1961), in the form used for pipelines by Qi et al., Pipeline Parallelism with Controllable Memory (2024).
// Test: tests/memory/memory_bound_test.cpp.
#pragma once

#include "cost/slabs/footprint.h"
#include "derive/derive.h"
#include "timing/order_bound.h"

namespace spillway {

// Zero if nothing limits the order. Contract: `limit` is of the memory of each device; `durations` has a lane
// for each replica.
StepBound memory_bound(const Derived& derived, const Footprints& footprints, const Durations& durations,
                       Bytes limit);

}  // namespace spillway
