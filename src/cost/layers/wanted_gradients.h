// The gradients that a block's backward computes.
#pragma once

namespace spillway {

struct Gradients {
  bool weight;
  bool input;

  bool any() const { return weight || input; }
  friend bool operator==(const Gradients&, const Gradients&) = default;
};

}  // namespace spillway
