// How many activations a rank holds at once, read off placement and order (paper section 3.1, "Memory as a
// derived view"): an activation of a Sharded stage lives from its forward to its backward.
#pragma once

#include <vector>

#include "derive/derive.h"

namespace spillway {

// By rank: the most activations live at once, in units of the rank's whole pipelined slab for one microbatch,
// so that 1F1B gives min(P - r, M). Stages that run no backward keep nothing. `layer_activations` says what a
// layer of each block holds for one microbatch, all in one unit; empty: every layer the same.
std::vector<double> peak_activations(const Derived& derived,
                                     const std::vector<double>& layer_activations = {});

}  // namespace spillway
