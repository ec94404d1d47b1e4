// What slabs compute under one draw, and what those prices are made of, for people.
#pragma once

#include <vector>

#include "cost/evidence.h"
#include "cost/slabs/priced_slabs.h"
#include "cost/stage_collectives.h"
#include "cost/stage_slabs.h"

namespace spillway {

// By slab, as DrawLoads::load counts loads; of patches the slowest member's. What `known` has is not priced
// again, the rest is added to it.
std::vector<SlabTimesByLoad> slab_prices(const StageSlabs& stages, const DrawLoads& loads,
                                         PricedSlabs& known);

// Operators, collectives and their evidence, of one step of all replicas. Shapes that vary by microbatch are
// named by the largest.
std::vector<PricedOperator> priced_operators(const Order& order, const StageSlabs& stages,
                                             const StageCollectives& collectives, const DrawLoads& loads);

}  // namespace spillway
