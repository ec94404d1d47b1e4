// What a device holds of a stage: all through the step, and of each microbatch in between.
#pragma once

#include "base/id.h"
#include "base/quantity.h"
#include "order/event.h"

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

// What memory asks, of one order under one draw. On each device of a stage or rank, or the one that holds the
// most.
class Footprints {
 public:
  virtual ~Footprints() = default;

  virtual ModelState model_state(StageId stage) const = 0;
  virtual Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const = 0;
  // Does the stage hold the same of every microbatch and replica? `false` is always safe.
  virtual bool holds_alike(StageId) const { return false; }
  // `event` is a Collective: what the receiver holds of it until the pass that it is for, also where nothing
  // moves because one rank is both. Nothing where that is not stated.
  virtual Bytes received(const Event&, ReplicaId) const { return {}; }
  // Of the same: what it holds longer, until the backward that computes it again (Outline::sends_input).
  virtual Bytes received_input(const Event&, ReplicaId) const { return {}; }
  // Of a rank, beside those: buffers that stay from pass to pass.
  virtual Bytes workspace(RankId) const { return {}; }
};

}  // namespace spillway
