// What a slab's backward computes.
#pragma once

#include <cstdint>

namespace spillway {

struct Gradients {
  bool weight;
  bool input;

  bool any() const { return weight || input; }
};

// Selective: products between activations are computed again; full: the whole forward is.
enum class Recompute : std::uint8_t { None, Selective, Full };

}  // namespace spillway
