// Draws of one order run together, a block of lanes at a time. Private to src/evaluate.
#pragma once

#include <vector>

#include "cost/price.h"
#include "optimize/prepared_order.h"

namespace spillway {

// By draw and replica, to the last bit what each draw gives by itself. Holds durations of a few lanes,
// whatever their number, or of the replicas that compute together where these are more. Contract: at least
// one draw; the pricings are of the order.
std::vector<LaneFigures> lane_figures(const PreparedOrder& prepared,
                                      const std::vector<const Pricing*>& draws);

}  // namespace spillway
