// What a slab's backward computes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

class Model;

struct Gradients {
  bool weight;
  bool input;

  bool any() const { return weight || input; }
};

// Weights: where the block is trained; inputs: where it or one before it is.
Gradients gradients_of(const Model& model, std::size_t block);

// Selective: products between activations are computed again; full: the whole forward is.
enum class Recompute : std::uint8_t { None, Selective, Full };

}  // namespace spillway
