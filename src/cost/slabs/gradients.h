// The passes of a slab, and the gradients they compute.
#pragma once

#include <cstddef>
#include <vector>

#include "cost/layers/wanted_gradients.h"

namespace spillway {

class Model;

// One pass of a stage over a microbatch. Backward computes both gradients in one piece.
enum class Pass { Forward, Backward, InputGradient, WeightGradient };

// The weight gradient is wanted if the block is trained; the input gradient if it or a block before it is.
Gradients gradients_of(const Model& model, std::size_t block);

// Return the wanted parts that a pass computes; a Backward yields its halves.
std::vector<Pass> gradients_in(Pass pass, Gradients gradients);

}  // namespace spillway
