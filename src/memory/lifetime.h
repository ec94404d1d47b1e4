// When activations live (paper section 3.1, "Memory as a derived view"): from the forward that makes them to
// the backward that uses them last.
//
//                F              I            W                 F: forward, B: backward in one piece,
//   in one piece |= activations |            |                 I: input gradient, W: weight gradient
//                F . . . . . . .B
//   split        |= activations |= for W ====|
//                F . . . . . . .I. . . . . . W
#pragma once

#include <array>

#include "cost/slabs/footprint.h"
#include "order/event.h"

namespace spillway {

// How an event changes what its rank holds of one stage.
struct Change {
  StageId stage = {};
  Bytes at_start = {};   // begins to live
  Bytes meanwhile = {};  // lives while the event runs, and no longer
  Bytes workspace = {};  // the same, of the operator that runs
  Bytes at_end = {};     // of what lived before; negative where more is freed than left behind
};

// The changes of a computing event, of a fused one those of its forward first; none for the others.
// `held_of(stage, microbatch)` is a Held.
// While an input gradient runs, its activations and what it leaves to the weight gradient count as the larger
// of the two, since each layer frees the former as it makes the latter.
template <class HeldOf>
std::array<Change, 2> changes_of(const Event& event, HeldOf&& held_of);

Change by_forward(StageId stage, const Held& held);
Change by_backward(StageId stage, const Held& held);
Change by_input_gradient(StageId stage, const Held& held);
Change by_weight_gradient(StageId stage, const Held& held);

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
    case EventKind::ForwardBackward:
      return {by_forward(event.stage, held),
              by_backward(event.peer_stage, held_of(event.peer_stage, event.peer_microbatch))};
    default:
      return {};
  }
}

}  // namespace spillway
