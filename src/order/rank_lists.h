// The paper's nodes(r): what each rank does, one entry after the other.
//
// A rank goes through its list in order. It computes what it computes; an event that communicates starts when
// all its ranks have come to it, a transfer's sender and receiver among them. It runs beside what follows,
// unless it is a transfer that blocks: then its sender goes on when it has ended. A loss stands behind its
// forward and takes no time. Executed so, with whatever durations, a step takes what its longest path takes.
// Test: tests/report/literal_execution_test.cpp.
//
// The idea: an event that communicates stands behind the last event of the rank that has surely ended when it
// starts. On the sender that is what it waits for. On the receiver it is what the sender has heard of: once
// the sender has received a message, the receiver has ended all that stood before that message. What is heard
// of through a third rank is not counted, so that a receive may stand earlier than it need.
//
// Example: 1F1B, two ranks, three microbatches. Rank 1 posts receives 1 and 2 at once, and the third behind
// Bwd 1, which rank 0 hears of before it sends the third.
//
// Cost: linear in events and edges, besides sorting what each rank communicates, which is nearly in order.
#pragma once

#include <vector>

#include "order/order.h"

namespace spillway {

// By rank. An event of several ranks stands in the list of each, a transfer in its sender's and its
// receiver's.
std::vector<std::vector<EventId>> rank_lists(const Order& order);

}  // namespace spillway
