#include "cost/slabs/footprint.h"

#include <algorithm>

namespace spillway {

ModelState& ModelState::operator+=(const ModelState& other) {
  parameters += other.parameters;
  gradients += other.gradients;
  optimizer += other.optimizer;
  of_matrices += other.of_matrices;
  return *this;
}

Held& Held::operator+=(const Held& other) {
  activations += other.activations;
  of_other_layers += other.of_other_layers;
  for_weight_gradient += other.for_weight_gradient;
  const Bytes backward =
      std::max(recomputed + backward_workspace, other.recomputed + other.backward_workspace);
  recomputed = std::max(recomputed, other.recomputed);
  backward_workspace = backward - recomputed;
  forward_workspace = std::max(forward_workspace, other.forward_workspace);
  return *this;
}

}  // namespace spillway
