// What a slab's passes compute.
#pragma once

#include <cstddef>
#include <vector>

namespace spillway {

class Model;

// One pass of a stage over a microbatch. Backward is both gradients in one piece.
enum class Pass { Forward, Backward, InputGradient, WeightGradient };

struct Gradients {
  bool weight;
  bool input;

  bool any() const { return weight || input; }
};

// Weights: where the block is trained; inputs: where it or one before it is.
Gradients gradients_of(const Model& model, std::size_t block);

// What a pass computes of what is wanted, a backward as its halves.
std::vector<Pass> gradients_in(Pass pass, Gradients gradients);

}  // namespace spillway
