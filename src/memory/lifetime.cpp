#include "memory/lifetime.h"

#include <algorithm>

namespace spillway {

Change by_forward(StageId stage, const Held& held) {
  return {.stage = stage, .at_start = held.activations, .workspace = held.forward_workspace};
}

Change by_backward(StageId stage, const Held& held) {
  return {.stage = stage,
          .meanwhile = held.recomputed,
          .workspace = held.backward_workspace,
          .at_end = Bytes() - held.activations};
}

Change by_input_gradient(StageId stage, const Held& held) {
  const Bytes left = held.for_weight_gradient - held.activations;
  return {.stage = stage,
          .meanwhile = held.recomputed + std::max(Bytes(), left),
          .workspace = held.backward_workspace,
          .at_end = left};
}

Change by_weight_gradient(StageId stage, const Held& held) {
  return {.stage = stage, .at_end = Bytes() - held.for_weight_gradient};
}

}  // namespace spillway
