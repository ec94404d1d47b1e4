// 1F1B: a rank runs ahead only as far as it must to fill the pipeline, then alternates.
//
//   rank 0  1 2 3 4 . . . . . . 1 5 . 2 6 . 3 . 4 . 5 . 6      warm-up min(P-r-1, M) forwards,
//   rank 1    1 2 3 . . . . 1 4 . 2 5 . 3 6 . 4 . 5 . 6        then one forward, one backward,
//   rank 2      1 2 . . 1 3 . 2 4 . 3 5 . 4 6 . 5 . 6          then the backwards that are left.
//   rank 3        1 1 2 2 3 3 4 4 5 5 6 6
//
// Bubble (P-1)(F+B), at most min(P-r, M) activations live on rank r.
// Narayanan et al., PipeDream-Flush, https://arxiv.org/abs/2006.09503; Megatron-LM
// forward_backward_pipelining_without_interleaving. Tests: tests/schedule/skeleton_test.cpp.
#include <algorithm>

#include "schedule/skeleton.h"

namespace spillway {

RankOrder one_f_one_b(const RunShape& shape, RankId rank) {
  const std::uint32_t m = shape.microbatches;
  const std::uint32_t warmup = std::min(shape.ranks - rank.index() - 1, m);
  RankOrder order;
  order.reserve(2 * std::size_t{m});
  for (std::uint32_t i = 0; i < warmup; ++i) order.push_back({Action::Forward, 0, MicrobatchId(i)});
  for (std::uint32_t i = warmup; i < m; ++i) {
    order.push_back({Action::Forward, 0, MicrobatchId(i)});
    order.push_back({Action::Backward, 0, MicrobatchId(i - warmup)});
  }
  for (std::uint32_t i = m - warmup; i < m; ++i) order.push_back({Action::Backward, 0, MicrobatchId(i)});
  return order;
}

}  // namespace spillway
