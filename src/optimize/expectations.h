// What a schedule that plans is told: the mean times and sizes of its stages over the draws that stand for
// what is expected.
#pragma once

#include <cstdint>
#include <vector>

#include "draws/costs.h"
#include "draws/planning_draws.h"

namespace spillway {

// By StageId of `derived`, over the draws, replicas and microbatches: the passes, and what the stage holds in
// bytes (where bytes are not stated, layers and half of them). Transfer: the mean of those between ranks
// inside regions.
Expectations expectations_of(const DrawCosts& costs, const Derived& derived, const PlanningDraws& draws);

}  // namespace spillway
