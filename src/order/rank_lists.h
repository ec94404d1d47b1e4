// The paper's nodes(r): the list of events that each rank executes.
//
// A rank executes its list in order. A computing event occupies the rank. A communicating event starts when
// all its ranks have reached it, including a transfer's sender and receiver. It runs beside the events that
// follow. Only a blocking transfer holds its sender until it ends. A loss follows its forward and takes no
// time. Executed so, with any durations, a step takes as long as its longest path. Test:
// tests/report/literal_execution_test.cpp.
//
// Idea: a communicating event stands after the last event of the rank that has certainly ended when it
// starts. On the sender this is the last event that it waits for. On the receiver it is the last event that
// the sender knows to have ended: when the sender has received a message, the receiver has ended all events
// before that message. Knowledge through a third rank is ignored, so a receive may stand earlier than
// necessary.
//
// Example: 1F1B, two ranks, three microbatches. Rank 1 posts receives 1 and 2 at once. It posts the third
// after Bwd 1, whose gradient rank 0 receives before it sends the third activation.
//
// Cost: linear in events and edges, except for sorting each rank's communication, which is nearly sorted.
#pragma once

#include <vector>

#include "order/order.h"

namespace spillway {

// The lists by rank. An event of several ranks is in the list of each; a transfer is in its sender's and its
// receiver's.
std::vector<std::vector<EventId>> rank_lists(const Order& order);

}  // namespace spillway
