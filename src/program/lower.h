// Lowers an order to a program: every event becomes actions of the ranks that take part in it.
//
// Idea: a rank executes its list of events (order/rank_lists.h). A transfer is a send on one rank and a
// receive on another, posted where the list has it: by then the sender cannot have sent. A pass waits for the
// messages that it needs. A send is waited for when its rank knows that the message was taken: a message
// that came back was sent after the pass that took it. That wait never blocks. Sends that no message answers
// are waited for at the end of the step, where a blocking transfer is waited for at once.
//
// Example: 1F1B, two ranks, one microbatch. Rank 0 sends an output; rank 1 runs its backward on it before it
// sends the gradient. Rank 0 waits for the gradient, then for its send, and runs its backward.
//
// Cost: linear in the events, but for a heap of the sends that are not answered yet. Tests:
// tests/program/lower_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cost/price.h"
#include "derive/derive.h"
#include "program/program.h"

namespace spillway {

// Returns everything that keeps a step from being a program of plain actions. Pointers are relative to a
// schedule of an experiment.
std::vector<Violation> check_lower(const Outline& derived);

// `pricing` gives the messages' sizes, `prices` all times. Names, samples and the makespan are left empty.
// Contract: check_lower finds nothing; both price `derived`.
Program lower(const Derived& derived, const Pricing& pricing, const Prices& prices);

}  // namespace spillway
