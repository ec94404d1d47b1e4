// What an evaluation takes of the memory of the machine that it runs on.
#pragma once

#include "evaluate/engines.h"

namespace spillway {

// Bytes, about: timelines of whole schedules are held, and SimGrid's hosts with their ports. Measured with
// g++ 12 and SimGrid 3.32 on orders of 0.1 to 0.4 million slots; held to within a factor of two by
// tests/evaluate/host_memory_test.cpp. `folded`: what is evaluated (fold.h).
double evaluation_bytes(const Experiment& folded, const Engines& engines);

// Throws Infeasible, with the sizes, where the machine has less: without, it would be the system that ends
// the process, without a word.
void require_host_memory(const Experiment& folded, const Engines& engines);

// What engines are given of an experiment: folded as they ask. Throws where whole timelines of it cannot be
// held.
Experiment held_whole(const Experiment& experiment, const Engines& engines);

// Throws Infeasible where the machine cannot hold an order with a few lanes of times: of one schedule of a
// sweep's point, or as it is printed.
void require_order_memory(const Pipeline& folded);

}  // namespace spillway
