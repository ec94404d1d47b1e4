// The memory of a stage on one device: model states all through the step, and the memory of each microbatch.
#pragma once

#include "base/id.h"
#include "base/quantity.h"
#include "order/event.h"

namespace spillway {

// Held all through the step: the model states of ZeRO (Rajbhandari et al. 2020, arXiv 1910.02054).
struct ModelState {
  Bytes parameters;
  Bytes gradients;
  Bytes optimizer;
  Bytes of_matrices = {};  // the part of `optimizer` that Muon keeps

  ModelState& operator+=(const ModelState& other);
  friend bool operator==(const ModelState&, const ModelState&) = default;
};

// The memory of one microbatch. A stage that runs no backward holds nothing.
struct Held {
  Bytes activations;          // from the start of the forward to the end of the backward
  Bytes for_weight_gradient;  // of a split backward: from the end of the input gradient to the weights' end
  Bytes recomputed;           // while the backward, or its input gradient, runs
  // Held in addition while a pass runs: inputs, outputs and gradients of the running operator, gathered
  // tensors.
  Bytes forward_workspace = {};
  Bytes backward_workspace = {};  // of a backward, or its input gradient
  // The part of `activations` that layers other than the largest keep. A fused forward and backward makes and
  // frees it layer by layer.
  Bytes of_other_layers = {};

  // Adds the layers of `other`, which run at another time.
  Held& operator+=(const Held& other);
  friend Held operator*(const Held& held, double times) {
    return {held.activations * times,       held.for_weight_gradient * times, held.recomputed * times,
            held.forward_workspace * times, held.backward_workspace * times,  held.of_other_layers * times};
  }
  friend bool operator==(const Held&, const Held&) = default;
};

// The figures that the memory model asks for, of one order under one draw: per device of a stage or rank, or
// of the device that holds the most.
class Footprints {
 public:
  virtual ~Footprints() = default;

  virtual ModelState model_state(StageId stage) const = 0;
  virtual Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const = 0;
  // Returns true if the stage holds the same for every microbatch and replica. `false` is always safe.
  virtual bool holds_alike(StageId) const { return false; }
  // `event` is a Collective. Return the bytes that the receiver holds until the pass that they are for, even
  // if one rank is both sides and nothing moves. Nothing if that is not stated.
  virtual Bytes received(const Event&, ReplicaId) const { return {}; }
  // For the same event: the bytes held longer, until the backward that recomputes from them
  // (Outline::sends_input).
  virtual Bytes received_input(const Event&, ReplicaId) const { return {}; }
  // Other bytes of a rank: buffers that stay from pass to pass.
  virtual Bytes workspace(RankId) const { return {}; }
};

}  // namespace spillway
