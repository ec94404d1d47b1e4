// Lower bounds of the mean step over draws.
//
// The bound of a draw is that of any order of the same passes on the same ranks, or of any that keeps a limit
// of memory if that is larger (timing/order_bound.h, memory/memory_bound.h). A stronger one holds for every
// order that serves all draws.
//
// Idea: the bound of a draw may begin each rank with the microbatch that is smallest in
// this draw, and end with another one. An order that is made before sizes are known has one first pass for
// all draws, and one last. Take any passes S of a rank. Whichever of them is first, a, and last, z, a draw's
// step is at least head(a) + the work of S + tail(z), and at least the draw's own bound. So the mean step is
// at least the mean over draws of the larger of the two, for the best choice of a and z.
//
// Example: one rank waits for encodes of 1 and 3 s in the first draw, of 3 and 1 s in the second. Each draw's
// bound begins with the encode of 1 s. One order begins with the same microbatch in both, after 2 s in the
// mean.
//
// S are the passes of a rank's stages and kinds whose mean heads and tails are not below some limits. Cost:
// O(passes x draws) for each S. Pairs of a and z are tried for the S that promises most, if there are at most
// kMostPairs of them; else the best a and the best z count by themselves. Source: the one-machine bound of J.
// Carlier (1982), with the minimum taken outside of the mean, as for here-and-now decisions: A. Madansky,
// Inequalities for stochastic linear programming problems (1960). Test:
// tests/synthesize/static_bound_test.cpp, against all orders of small steps. Private to src/synthesize.
#pragma once

#include <optional>

#include "draws/costs.h"
#include "optimize/ordered_draws.h"

namespace spillway {

// The mean of the bounds of draws. `limit`: of the memory of each device. `models`: one for each draw.
// Contract: at least one.
Seconds limited_bound(const Derived& derived, const CostModels& models, std::optional<Bytes> limit);

// The same, of one order for all draws.
Seconds static_bound(const Derived& derived, const CostModels& models, std::optional<Bytes> limit);

}  // namespace spillway
