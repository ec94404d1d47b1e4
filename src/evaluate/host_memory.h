// The memory that an evaluation needs on the machine it runs on.
#pragma once

#include "evaluate/engines.h"

namespace spillway {

// Returns about how many bytes an evaluation needs for the timelines of whole schedules, and for SimGrid
// with its hosts and ports. Measured with g++ 12 and SimGrid 3.32 on orders of 0.1 to 0.4 million slots;
// tests/evaluate/host_memory_test.cpp holds it to within a factor of two. `folded` is the experiment that is
// evaluated (fold.h).
double evaluation_bytes(const Experiment& folded, const Engines& engines);

// Throws Infeasible, with the sizes, if the machine has less memory. Otherwise the system would end the
// process without a message.
void require_host_memory(const Experiment& folded, const Engines& engines);

// Returns the experiment folded as the engines require. Throws if its whole timelines cannot be held.
Experiment held_whole(const Experiment& experiment, const Engines& engines);

// Throws Infeasible if the machine cannot hold an order with a few lanes of times, as for a schedule of a
// sweep's point, or for printing an order.
void require_order_memory(const Pipeline& folded);

}  // namespace spillway
