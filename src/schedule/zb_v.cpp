// ZB-V: two stages per rank on a V. The last stage is on rank 0 beside the first, so backwards start there at
// once. Backwards are split into I (input gradient) and W (weight gradient), which fill the gaps. Chunk 0 of
// rank r is stage r, chunk 1 (written ') stage 2P-1-r.
//
//   rank 0  F F F F'I'W'F'I'W'F I W F'I'W'I W F'I'W'I W I W        P = 2, M = 4, F = I = W: no rank idles
//   rank 1  . F F'F F'I'W'F I W F'I'W'F I W F'I'W'I I'I W W'W      once it has begun
//
// Rank r: 2(P-r)-1 times F; r times (F' F); P-r times (F' I' W'); (F I W F' I' W') until all forwards are
// done, without the first F once those have run out; r times (I I'); P-r times (I W); the W' that are left,
// the W that are left. The order is made for at least 2P-1 microbatches; fewer take the same order without
// the missing ones.
//
// The bubble inside each rank's span is 0 if F = I = W, M >= 2P-1 and transfers take no time: the makespan is
// a rank's work plus the (P-1)F before the last rank begins. A rank holds at most P whole slabs, counted
// whole until their W. Qi et al. 2024, https://arxiv.org/abs/2401.10241, section 6; order as in PyTorch's
// ScheduleZBVZeroBubble. Tests: tests/schedule/zero_bubble_test.cpp.
#include <algorithm>
#include <utility>

#include "schedule/skeletons.h"

namespace spillway {
namespace {

constexpr std::uint32_t kDown = 0, kUp = 1;  // chunks

class VOrder {
 public:
  explicit VOrder(std::uint32_t microbatches) : microbatches_(microbatches) {}

  // Adds the next microbatch's slot; microbatches beyond the last add none.
  void forward(std::uint32_t chunk) { next(Action::Forward, chunk, forwards_[chunk]++); }
  void input(std::uint32_t chunk) { next(Action::BackwardInput, chunk, inputs_[chunk]++); }
  void weight(std::uint32_t chunk) { next(Action::BackwardWeight, chunk, weights_[chunk]++); }
  void backward(std::uint32_t chunk) {
    input(chunk);
    weight(chunk);
  }

  void remaining_weights(std::uint32_t chunk) {
    while (weights_[chunk] < inputs_[chunk]) weight(chunk);
  }

  std::uint32_t forwards(std::uint32_t chunk) const { return forwards_[chunk]; }
  RankOrder take() { return std::move(order_); }

 private:
  void next(Action action, std::uint32_t chunk, std::uint32_t microbatch) {
    if (microbatch < microbatches_) order_.push_back({action, chunk, MicrobatchId(microbatch)});
  }

  std::uint32_t microbatches_;
  std::uint32_t forwards_[2] = {}, inputs_[2] = {}, weights_[2] = {};
  RankOrder order_;
};

}  // namespace

RankOrder zb_v(const RunShape& shape, RankId rank) {
  const std::uint32_t r = rank.index(), from_end = shape.ranks - r;
  const std::uint32_t planned = std::max(2 * shape.ranks - 1, shape.microbatches);
  VOrder order(shape.microbatches);
  for (std::uint32_t i = 0; i < 2 * from_end - 1; ++i) order.forward(kDown);
  for (std::uint32_t i = 0; i < r; ++i) {
    order.forward(kUp);
    order.forward(kDown);
  }
  for (std::uint32_t i = 0; i < from_end; ++i) {
    order.forward(kUp);
    order.backward(kUp);
  }
  while (order.forwards(kUp) < planned) {
    if (order.forwards(kDown) < planned) order.forward(kDown);
    order.backward(kDown);
    order.forward(kUp);
    order.backward(kUp);
  }
  for (std::uint32_t i = 0; i < r; ++i) {
    order.input(kDown);
    order.input(kUp);
  }
  for (std::uint32_t i = 0; i < from_end; ++i) {
    order.input(kDown);
    order.weight(kDown);
  }
  order.remaining_weights(kUp);
  order.remaining_weights(kDown);
  return order.take();
}

}  // namespace spillway
