#include "cost/footprint.h"

#include <algorithm>

namespace spillway {

ModelState& ModelState::operator+=(const ModelState& other) {
  parameters += other.parameters;
  gradients += other.gradients;
  optimizer += other.optimizer;
  return *this;
}

Held& Held::operator+=(const Held& other) {
  activations += other.activations;
  for_weight_gradient += other.for_weight_gradient;
  recomputed = std::max(recomputed, other.recomputed);
  return *this;
}

}  // namespace spillway
