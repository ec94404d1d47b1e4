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

std::array<Change, 2> by_layers(const Change& forward, const Held& made, const Change& backward,
                                const Held& freed) {
  const Bytes never_together = std::min(made.of_other_layers, freed.of_other_layers);
  std::array<Change, 2> changes = {forward, backward};
  changes[0].at_start -= never_together;
  changes[0].at_end += never_together;
  return changes;
}

}  // namespace spillway
