// The engine `max-plus`: the makespan of a step of any size, read from the denotations of windows in time.
#pragma once

#include "base/quantity.h"
#include "order/durations.h"
#include "order/order.h"

namespace spillway {

// The end of the last event over all lanes. It equals the longest path up to rounding, because it adds in
// another order. Contract: as LongestPath's, and no duration is negative.
Seconds max_plus_makespan(const Order& order, const Durations& durations);

}  // namespace spillway
