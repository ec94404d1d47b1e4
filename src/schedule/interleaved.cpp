// Interleaved 1F1B (VPP-v): v chunks of the model per rank, chunk c of rank r being stage cP + r, so that a
// microbatch circles the ranks v times and the pipeline fills in 1/v of the time.
//
//   rank 0  1 2 3 4 1' 2' 3' 4' ...      forwards: for each group of g microbatches (g = P unless told),
//   rank 1    1 2 3 4  1' 2' 3' ...      chunk by chunk; backwards: the same with the chunks reversed;
//                                        2(P-r-1) + (v-1)g forwards ahead, then one forward, one backward.
//
// Bubble (P-1)(F+B)/v when P divides M; rank 0 holds about P(1 + (P-1)/(Pv)) of 1F1B's activations.
// Narayanan et al. 2021, https://arxiv.org/abs/2104.04473, section 2.2; order as in Megatron-LM's
// get_schedule_table and get_pp_rank_microbatches. Tests: tests/schedule/skeleton_test.cpp.
#include <algorithm>

#include "schedule/skeleton.h"

namespace spillway {
namespace {

// The sequence of (chunk, microbatch) visits, forwards' chunks ascending.
RankOrder visits(const RunShape& shape, Action action) {
  RankOrder table;
  table.reserve(std::size_t{shape.microbatches} * shape.chunks);
  for (std::uint32_t first = 0; first < shape.microbatches; first += shape.group) {
    const std::uint32_t end = std::min(first + shape.group, shape.microbatches);
    for (std::uint32_t i = 0; i < shape.chunks; ++i) {
      const std::uint32_t chunk = action == Action::Forward ? i : shape.chunks - 1 - i;
      for (std::uint32_t m = first; m < end; ++m) table.push_back({action, chunk, MicrobatchId(m)});
    }
  }
  return table;
}

}  // namespace

RankOrder interleaved_one_f_one_b(const RunShape& shape, RankId rank) {
  const RankOrder forwards = visits(shape, Action::Forward);
  const RankOrder backwards = visits(shape, Action::Backward);
  const std::size_t total = forwards.size();
  const std::size_t ahead =
      2 * std::size_t{shape.ranks - rank.index() - 1} + std::size_t{shape.chunks - 1} * shape.group;
  const std::size_t warmup = std::min(ahead, total);
  RankOrder order(forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(warmup));
  order.reserve(2 * total);
  for (std::size_t i = warmup; i < total; ++i) {
    order.push_back(forwards[i]);
    order.push_back(backwards[i - warmup]);
  }
  order.insert(order.end(), backwards.end() - static_cast<std::ptrdiff_t>(warmup), backwards.end());
  return order;
}

}  // namespace spillway
