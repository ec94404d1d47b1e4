// When rank orders of one straight pipeline end. Private to src/schedule.
#pragma once

#include <vector>

#include "schedule/rank_order.h"

namespace spillway {

// The last end, each slot running as soon as its rank is free and its input there, by the shape's
// expectations. Contract: `orders` are of P stages with split backwards and never wait for themselves. Linear
// in the slots and in ranks x turns, of which there are at most ranks + slots of a rank.
Seconds last_end(const RunShape& shape, const std::vector<RankOrder>& orders);

}  // namespace spillway
