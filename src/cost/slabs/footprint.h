// What a device holds of a stage: all through the step, and of each microbatch in between.
#pragma once

#include "base/quantity.h"

namespace spillway {

// All through the step: the model states of ZeRO (Rajbhandari et al. 2020, arXiv 1910.02054).
struct ModelState {
  Bytes parameters;
  Bytes gradients;
  Bytes optimizer;

  ModelState& operator+=(const ModelState& other);
  friend bool operator==(const ModelState&, const ModelState&) = default;
};

// Of one microbatch. A stage that runs no backward holds nothing.
struct Held {
  Bytes activations;          // from the start of the forward to the end of the backward
  Bytes for_weight_gradient;  // of a split backward: from the end of the input gradient to the weights' end
  Bytes recomputed;           // while the backward, or its input gradient, runs
  // Beside those, while a pass runs: inputs, outputs and gradients of the operator that runs, gathered
  // tensors.
  Bytes forward_workspace = {};
  Bytes backward_workspace = {};  // of a backward, or its input gradient

  // With the layers of `other`, which run at another time.
  Held& operator+=(const Held& other);
  friend Held operator*(const Held& held, double times) {
    return {held.activations * times, held.for_weight_gradient * times, held.recomputed * times,
            held.forward_workspace * times, held.backward_workspace * times};
  }
  friend bool operator==(const Held&, const Held&) = default;
};

}  // namespace spillway
