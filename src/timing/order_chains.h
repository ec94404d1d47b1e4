// The edges of an order that hold in every order of the same passes on the same ranks, and the longest chains
// of them. Bounds of steps are made of these (order_bound.h, memory/memory_bound.h).
//
// The edges are those that carry data of a microbatch, accumulate gradients or end the step. Rules of a
// schedule, such as barriers, and blocking transfers are left out: another order need not keep them.
#pragma once

#include "order/durations.h"
#include "order/order.h"

namespace spillway {

// By event: the events that it needs in every order.
OrderRows needed_in_every_order(const Order& order);

// Returns when each event could start if its rank were free. Contract: that of LongestPath::timeline(), and
// `needed` is of `order`. O(edges) for each lane, like the other.
PerEvent<Seconds> chain_heads(const Order& order, const OrderRows& needed, const Durations& durations);

// Returns how long the step goes on at least when each event has ended.
PerEvent<Seconds> chain_tails(const Order& order, const OrderRows& needed, const Durations& durations);

}  // namespace spillway
