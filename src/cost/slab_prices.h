// The times of slabs under one draw.
#pragma once

#include <vector>

#include "cost/slabs/priced_slabs.h"
#include "cost/stage_slabs.h"

namespace spillway {

class DrawLoads;

// By slab and DrawLoads::load; the slowest member's times if the slab runs over patches. Slabs that `known`
// has are not priced again; the others are added to it.
std::vector<SlabTimesByLoad> slab_prices(const StageSlabs& stages, const DrawLoads& loads,
                                         PricedSlabs& known);

}  // namespace spillway
