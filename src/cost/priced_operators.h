// The operators and collectives of a step as they were priced, for people.
#pragma once

#include <vector>

#include "cost/operators/evidence.h"
#include "cost/stage_collectives.h"
#include "cost/stage_slabs.h"

namespace spillway {

// With their evidence, over one step of all replicas. If shapes vary by microbatch, the largest names them
// all.
std::vector<PricedOperator> priced_operators(const Order& order, const StageSlabs& stages,
                                             const StageCollectives& collectives, const DrawLoads& loads);

}  // namespace spillway
