// What slabs compute under one draw.
#pragma once

#include <vector>

#include "cost/slabs/priced_slabs.h"
#include "cost/stage_slabs.h"

namespace spillway {

// One device's part of a microbatch's tokens; the view is of `sequences`, which is set.
SlabLoad load_of(const TokenLoad& tokens, const Parallelism& parallelism, Sequences& sequences);

// By slab, as DrawLoads::load counts loads; of patches the slowest member's. What `known` has is not priced
// again, the rest is added to it.
std::vector<SlabTimesByLoad> slab_prices(const StageSlabs& stages, const DrawLoads& loads,
                                         PricedSlabs& known);

}  // namespace spillway
