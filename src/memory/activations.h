// How many activations a rank holds at once, read off placement and order (paper section 3.1, "Memory as a
// derived view"): an activation of a Sharded stage lives from its forward to its backward.
#pragma once

#include <vector>

#include "derive/derive.h"

namespace spillway {

// By rank: the most activations live at once, in units of the rank's whole pipelined slab for one microbatch,
// so that 1F1B gives min(P - r, M). Stages that run no backward keep nothing.
std::vector<double> peak_activations(const Derived& derived);

}  // namespace spillway
