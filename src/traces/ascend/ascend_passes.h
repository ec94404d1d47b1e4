// Forward and backward passes of one device, inferred from its kernels: the profiler names neither. Private
// to src/traces.
//
// Messages between pipeline ranks cut a step of a device into segments. A segment with a gradient's kernel is
// a backward; one without, but with products of matrices, is a forward, unless a later stage ran it before it
// had received anything. The last stage sends nothing between a forward and its backward: there the backward
// begins where the loss's derivative by itself is set, the last filling of one value before the first
// gradient's kernel, or at that kernel. A backward ends before the first collective or optimizer's kernel
// after its last gradient: what follows is the step's end.
//
// Example, the last stage (r receive and send, f matrix, 1 seed, g gradient, c collective):
//   r f f 1 g g r f f 1 g g r . c   is   F0 = f f, B0 = 1 g g, F1 = f f, B1 = 1 g g; the dot is no pass.
// On the first stage r between f and g sends the forward's activations and receives the backward's gradient.
//
// The k-th forward of a device is microbatch k, and so is its k-th backward: true of 1F1B and GPipe with one
// stage on each rank. Not seen: split backwards, recomputation, whose backward has a gradient's kernel too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/ascend/ascend_timeline.h"
#include "traces/events/trace.h"

namespace spillway {

// From the start of the first of these kernels to the end of the last to end.
struct AscendPass {
  bool forward;
  std::uint32_t microbatch;
  std::size_t first;  // index into the items
  std::size_t last;
  std::int64_t start_ns;
  std::int64_t end_ns;
  bool split_here;  // a backward cut off from its forward without a message between them
};

// One direction of a message. Both of a batched one have the same item.
struct AscendTransfer {
  TraceKind kind;
  std::uint32_t microbatch;
  std::size_t item;
};

struct AscendPasses {
  std::vector<AscendPass> passes;  // in order
  std::vector<AscendTransfer> transfers;
  std::size_t unused_messages = 0;   // that no pass sends or receives
  std::size_t missing_messages = 0;  // that a pass should have sent or received
};

// `items`: one step of one device, by start. A device is at the first stage, at the last, or between.
AscendPasses ascend_passes(std::span<const AscendItem> items, bool first_stage, bool last_stage);

}  // namespace spillway
