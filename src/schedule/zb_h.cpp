// ZB-H1 and ZB-H2: 1F1B with its backwards split into I (input gradient) and W (weight gradient). No pass
// waits for W, so W fills the idle time of 1F1B. Rank r runs `ahead` forwards, then F and I in turn, and a W
// whenever more than `lag` are pending; the remaining W come last.
//
//   ZB-H1   rank 0  F F F . . I W F I W F I W I W I W     ahead P-r-1, lag r: it begins as 1F1B does, and the
//           rank 1  . F F . I F I W F I W F I W I W W     cool-down is filled
//           rank 2  . . F I F I F I W F I W F I W W W
//
//   ZB-H2   rank 0  F F F F F I W I W I W I W I W         ahead 2(P-r-1), lag 2r: the warm-up is filled too
//           rank 1  . F F F I F I F I W I W I W W W
//           rank 2  . . F I F I F I F I F I W W W W W     P = 3, M = 5, F = I = W
//
// Bubble (P-1)(F+I-W) for ZB-H1 where W <= F and M >= P, (P-1)(F+I-2W) for ZB-H2 where W <= F, 2W <= F+I and
// M >= 2P-1; larger elsewhere. A transfer of length T <= W/2 between ranks adds 4(P-1)T (M > P) and 2(P-1)T.
// A rank holds at most ahead + 1 + lag activations, counted whole until their W: P and 2P-1. Qi et al. 2024,
// Zero Bubble Pipeline Parallelism, https://arxiv.org/abs/2401.10241, section 2. Tests:
// tests/schedule/zero_bubble_test.cpp.
#include <algorithm>

#include "schedule/skeletons.h"

namespace spillway {
namespace {

RankOrder split_one_f_one_b(std::uint32_t microbatches, std::uint32_t ahead, std::uint32_t lag) {
  const std::uint32_t warmup = std::min(ahead, microbatches);
  RankOrder order;
  order.reserve(3 * std::size_t{microbatches});
  std::uint32_t weights = 0;
  for (std::uint32_t i = 0; i < warmup; ++i) order.push_back({Action::Forward, 0, MicrobatchId(i)});
  for (std::uint32_t i = 0; i < microbatches; ++i) {
    if (warmup + i < microbatches) order.push_back({Action::Forward, 0, MicrobatchId(warmup + i)});
    order.push_back({Action::BackwardInput, 0, MicrobatchId(i)});
    if (i + 1 - weights > lag) order.push_back({Action::BackwardWeight, 0, MicrobatchId(weights++)});
  }
  while (weights < microbatches) order.push_back({Action::BackwardWeight, 0, MicrobatchId(weights++)});
  return order;
}

}  // namespace

RankOrder zb_h1(const RunShape& shape, RankId rank) {
  const std::uint32_t r = rank.index();
  return split_one_f_one_b(shape.microbatches, shape.ranks - r - 1, r);
}

RankOrder zb_h2(const RunShape& shape, RankId rank) {
  const std::uint32_t r = rank.index();
  return split_one_f_one_b(shape.microbatches, 2 * (shape.ranks - r - 1), 2 * r);
}

double zb_h2_bound(const RunShape& shape, RankId) {
  return 2.0 * shape.ranks - 1;
}

}  // namespace spillway
