// The number of activations that a rank holds at once, read from placement and order. It covers only
// pipelined regions, in the unit of the literature's bounds for schedules.
#pragma once

#include <vector>

#include "derive/derive.h"

namespace spillway {

// The activations that a layer holds for one microbatch from its forward to its backward, and the part that a
// split backward keeps for the weight gradient; both in one unit.
struct LayerActivations {
  double held = 1;
  double for_weight_gradient = 0.5;
};

// By rank: the most activations that live at once. The unit is the rank's whole pipelined slab for one
// microbatch, so 1F1B gives min(P - r, M). A fused forward and backward holds both. Regions that run no
// backward keep nothing; frozen layers of the others keep nothing for weight gradients. `layers` has one
// entry per block; empty: all layers are equal.
std::vector<double> peak_activations(const Derived& derived,
                                     const std::vector<LayerActivations>& layers = {});

}  // namespace spillway
