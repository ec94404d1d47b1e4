// The lifetime of activations (paper section 3.1, "Memory as a derived view"): from the forward that makes
// them to the last backward that uses them.
//
//                F              I            W                 F: forward, B: backward in one piece,
//   in one piece |= activations |            |                 I: input gradient, W: weight gradient
//                F . . . . . . .B
//   split        |= activations |= for W ====|
//                F . . . . . . .I. . . . . . W
//
// A fused forward and backward runs a layer of each at a time, and frees the backward's layer before the next
// (NVIDIA/Megatron-LM @d98e8a64, megatron/core/models/common/model_chunk_schedule_plan.py, run and
// release_state). So it holds the activations of the larger pass and one layer of the other, not both passes.
#pragma once

#include <array>

#include "cost/slabs/footprint.h"
#include "order/event.h"

namespace spillway {

// The changes that an event makes to the memory of one stage on its rank.
struct Change {
  StageId stage = {};
  Bytes at_start = {};   // begins to live
  Bytes meanwhile = {};  // lives only while the event runs
  Bytes workspace = {};  // the same, for the running operator
  Bytes at_end = {};     // change at the end; negative if more is freed than kept
};

// The changes of a computing event; a fused event has its forward's first. Other events have none.
// `held_of(stage, microbatch)` is a Held. During an input gradient, memory counts the larger of its
// activations and the data that it keeps for the weight gradient, because each layer frees the former as it
// makes the latter.
template <class HeldOf>
std::array<Change, 2> changes_of(const Event& event, HeldOf&& held_of);

Change by_forward(StageId stage, const Held& held);
Change by_backward(StageId stage, const Held& held);
Change by_input_gradient(StageId stage, const Held& held);
Change by_weight_gradient(StageId stage, const Held& held);
// Frees the layers of the backward while those of the forward are made.
std::array<Change, 2> by_layers(const Change& forward, const Held& made, const Change& backward,
                                const Held& freed);

template <class HeldOf>
std::array<Change, 2> changes_of(const Event& event, HeldOf&& held_of) {
  const Held held = held_of(event.stage, event.microbatch);
  switch (event.kind) {
    case EventKind::Forward:
      return {by_forward(event.stage, held)};
    case EventKind::Backward:
      return {by_backward(event.stage, held)};
    case EventKind::BackwardInput:
      return {by_input_gradient(event.stage, held)};
    case EventKind::BackwardWeight:
      return {by_weight_gradient(event.stage, held)};
    case EventKind::ForwardBackward: {
      const Held freed = held_of(event.peer_stage, event.peer_microbatch);
      return by_layers(by_forward(event.stage, held), held, by_backward(event.peer_stage, freed), freed);
    }
    default:
      return {};
  }
}

}  // namespace spillway
