// Infers the forward and backward passes of one device from its kernels, because the profiler names neither.
// Private to src/traces.
//
// Messages between pipeline ranks cut a step of a device into segments. A segment with a gradient kernel is a
// backward. A segment without one, but with matrix products, is a forward, unless a later stage ran it before
// it received anything. The last stage sends nothing between a forward and its backward. There, the backward
// begins where one value is filled for the last time before the first gradient kernel; this sets the
// derivative of the loss by itself. Without such a kernel it begins at the first gradient kernel. A backward
// ends before the first collective or optimizer kernel after its last gradient kernel: the rest belongs to
// the step's end.
//
// Example of the last stage (r receive and send, f matrix, 1 seed, g gradient, c collective):
//   r f f 1 g g r f f 1 g g r . c   is   F0 = f f, B0 = 1 g g, F1 = f f, B1 = 1 g g; the dot is no pass.
// On the first stage, r between f and g sends the forward's activations and receives the backward's gradient.
//
// The k-th forward of a device is microbatch k, and so is its k-th backward. This holds for 1F1B and GPipe
// with one stage on each rank. Split backwards are not recognized, nor is recomputation, because its backward
// has a gradient kernel, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/ascend/ascend_timeline.h"
#include "traces/events/trace.h"

namespace spillway {

// Lasts from the start of the first kernel to the latest end of any of its kernels.
struct AscendPass {
  bool forward;
  std::uint32_t microbatch;
  std::size_t first;  // index into the items
  std::size_t last;
  std::int64_t start_ns;
  std::int64_t end_ns;
  bool split_here;  // true for a backward that no message separates from its forward
};

// One direction of a message. Both directions of a batched message have the same item.
struct AscendTransfer {
  TraceKind kind;
  std::uint32_t microbatch;
  std::size_t item;
};

struct AscendPasses {
  std::vector<AscendPass> passes;  // in order
  std::vector<AscendTransfer> transfers;
  std::size_t unused_messages = 0;   // that no pass sends or receives
  std::size_t missing_messages = 0;  // that a pass should send or receive
};

// `items`: one step of one device, by start. The device holds the first stage, the last, or one between.
AscendPasses ascend_passes(std::span<const AscendItem> items, bool first_stage, bool last_stage);

}  // namespace spillway
