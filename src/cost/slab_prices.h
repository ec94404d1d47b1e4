// The times of slabs under one draw, and their operators as priced, for people.
#pragma once

#include <vector>

#include "cost/evidence.h"
#include "cost/slabs/priced_slabs.h"
#include "cost/stage_collectives.h"
#include "cost/stage_slabs.h"

namespace spillway {

// By slab and DrawLoads::load; the slowest member's times if the slab runs over patches. Slabs that `known`
// has are not priced again; the others are added to it.
std::vector<SlabTimesByLoad> slab_prices(const StageSlabs& stages, const DrawLoads& loads,
                                         PricedSlabs& known);

// Operators, collectives and their evidence, over one step of all replicas. If shapes vary by microbatch, the
// largest names them all.
std::vector<PricedOperator> priced_operators(const Order& order, const StageSlabs& stages,
                                             const StageCollectives& collectives, const DrawLoads& loads);

}  // namespace spillway
