// GPipe: all forwards, then all backwards. Several regions interleave breadth first (every microbatch passes
// a chunk before the next chunk), with a bubble of (P-1)(F+B)/v.
//
//   rank 0  1 2 3 4 . . . . . . 1 2 3 4
//   rank 1    1 2 3 4 . . . . 1 2 3 4          backwards in microbatch order, chunks reversed
//   rank 2      1 2 3 4 1 2 3 4
//
// All M activations are live at once. Huang et al. 2019, https://arxiv.org/abs/1811.06965; breadth first:
// Lamy-Poirier 2023, https://arxiv.org/abs/2211.05953. Tests: tests/schedule/skeleton_test.cpp.
#include "schedule/skeletons.h"

namespace spillway {

RankOrder gpipe(const RunShape& shape, RankId) {
  RankOrder order;
  order.reserve(2 * std::size_t{shape.microbatches} * shape.chunks);
  for (std::uint32_t chunk = 0; chunk < shape.chunks; ++chunk) {
    for (std::uint32_t m = 0; m < shape.microbatches; ++m) {
      order.push_back({Action::Forward, chunk, MicrobatchId(m)});
    }
  }
  for (std::uint32_t chunk = shape.chunks; chunk-- > 0;) {
    for (std::uint32_t m = 0; m < shape.microbatches; ++m) {
      order.push_back({Action::Backward, chunk, MicrobatchId(m)});
    }
  }
  return order;
}

Slot gpipe_slot(const RunShape& shape, RankId, std::uint64_t position) {
  const std::uint64_t all = std::uint64_t{shape.microbatches} * shape.chunks;
  const bool forward = position < all;
  const std::uint64_t visit = forward ? position : position - all, chunk = visit / shape.microbatches;
  return {forward ? Action::Forward : Action::Backward,
          static_cast<std::uint32_t>(forward ? chunk : shape.chunks - 1 - chunk),
          MicrobatchId(static_cast<std::uint32_t>(visit % shape.microbatches))};
}

double gpipe_bound(const RunShape& shape, RankId) {
  return shape.microbatches;
}

}  // namespace spillway
