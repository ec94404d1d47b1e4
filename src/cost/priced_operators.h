// What prices are made of, for people: operators, collectives and their evidence.
#pragma once

#include <vector>

#include "cost/evidence.h"
#include "cost/stage_collectives.h"

namespace spillway {

// Of one step of all replicas. Shapes that vary by microbatch are named by the largest.
std::vector<PricedOperator> priced_operators(const Order& order, const StageSlabs& stages,
                                             const StageCollectives& collectives, const DrawLoads& loads);

}  // namespace spillway
