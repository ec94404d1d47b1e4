// How many activations a rank holds at once, read off placement and order: the pipelined regions alone, in
// the unit in which the literature states schedules' bounds.
#pragma once

#include <vector>

#include "derive/derive.h"

namespace spillway {

// What a layer holds for one microbatch from its forward to its backward, and how much of that a split
// backward leaves to the weight gradient; both in one unit.
struct LayerActivations {
  double held = 1;
  double for_weight_gradient = 0.5;
};

// By rank: the most activations live at once, in units of the rank's whole pipelined slab for one microbatch,
// so that 1F1B gives min(P - r, M). A fused forward and backward holds both. Regions that run no backward
// keep nothing; frozen layers of the others keep nothing for weight gradients. One `layers` per block; empty:
// every layer the same.
std::vector<double> peak_activations(const Derived& derived,
                                     const std::vector<LayerActivations>& layers = {});

}  // namespace spillway
