// 1F1B: a rank runs only as many forwards ahead as fill the pipeline, then alternates.
//
//   rank 0  1 2 3 4 . . . . . . 1 5 . 2 6 . 3 . 4 . 5 . 6      warm-up min(P-r-1, M) forwards,
//   rank 1    1 2 3 . . . . 1 4 . 2 5 . 3 6 . 4 . 5 . 6        then one forward, one backward,
//   rank 2      1 2 . . 1 3 . 2 4 . 3 5 . 4 6 . 5 . 6          then the backwards that are left.
//   rank 3        1 1 2 2 3 3 4 4 5 5 6 6
//
// Bubble (P-1)(F+B), at most min(P-r, M) activations live on rank r.
// Narayanan et al., PipeDream-Flush, https://arxiv.org/abs/2006.09503; Megatron-LM
// forward_backward_pipelining_without_interleaving.
//
// Interleaved 1F1B (VPP-v): each rank has v chunks of the model, and chunk c of rank r is stage cP + r. A
// microbatch circles the ranks v times, and the pipeline fills in 1/v of the time.
//
//   rank 0  1 2 3 4 1' 2' 3' 4' ...      forwards: for each group of g microbatches (see default_group),
//   rank 1    1 2 3 4  1' 2' 3' ...      chunk by chunk; backwards: the same with the chunks reversed;
//                                        2(P-r-1) + (v-1)g forwards ahead, then one forward, one backward.
//
// Bubble (P-1)(F+B)/v when P divides M; rank 0 holds about P(1 + (P-1)/(Pv)) of 1F1B's activations.
// Narayanan et al. 2021, https://arxiv.org/abs/2104.04473, section 2.2; order as in Megatron-LM's
// get_schedule_table and get_pp_rank_microbatches, and in PyTorch's ScheduleInterleaved1F1B. Tests:
// tests/schedule/skeleton_test.cpp.
//
// 1f1b-overlap: a forward and the backward that follows it run together, layer by layer, so that the
// all-to-alls of one microbatch's experts hide under the computing of the other's. One more forward runs
// ahead, which makes the two independent. Warm-up and cool-down overlap nothing.
//
//   rank 0  F1 F2&B1 F3&B2 ... FM&B(M-1) BM                     P = 1
//
// With several ranks only interleaved pipelines run so: without chunks, a pair would wait for the next rank's
// pair, and that rank's for this one's. NVIDIA/Megatron-LM @d98e8a64,
// megatron/core/pipeline_parallel/combined_1f1b.py, and schedules.py, get_pp_rank_microbatches;
// transformer_config.py has the refusals (--overlap-moe-expert-parallel-comm). With --delay-wgrad-compute the
// weight gradients of a pair run later in the same pair. Tests: tests/schedule/overlap_test.cpp.
#include <algorithm>
#include <string>

#include "schedule/skeletons.h"

namespace spillway {
namespace {

// The number of forwards ahead of the first backward, without the one that pairs with it.
std::uint64_t visits_ahead(const RunShape& shape, RankId rank) {
  const std::uint64_t below = shape.ranks - rank.index() - 1;
  return shape.chunks == 1 ? below : 2 * below + std::uint64_t{shape.chunks - 1} * shape.group;
}

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

// Chunk (ascending, as for forwards) and microbatch of the n-th visit: group by group, and chunk by chunk in
// a group. The last group may be shorter.
std::pair<std::uint64_t, std::uint64_t> visit_at(const RunShape& shape, std::uint64_t n) {
  if (shape.chunks == 1) return {0, n};
  const std::uint64_t group = std::uint64_t{shape.group} * shape.chunks;
  const std::uint64_t first = n / group * shape.group, inside = n % group;
  const std::uint64_t size = std::min<std::uint64_t>(shape.group, shape.microbatches - first);
  return {inside / size, first + inside % size};
}

// `ahead` forwards, then pairs of the next forward and the oldest backward, then the backwards that are left.
template <class AddPair>
RankOrder alternating(const RunShape& shape, std::uint64_t ahead, AddPair add_pair) {
  const RankOrder forwards = visits(shape, Action::Forward), backwards = visits(shape, Action::Backward);
  const std::size_t total = forwards.size();
  const std::size_t warmup = std::min<std::size_t>(ahead, total);
  RankOrder order(forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(warmup));
  order.reserve(2 * total);
  for (std::size_t i = warmup; i < total; ++i) add_pair(order, forwards[i], backwards[i - warmup]);
  order.insert(order.end(), backwards.end() - static_cast<std::ptrdiff_t>(warmup), backwards.end());
  return order;
}

// If there are fewer microbatches than ranks, all are one group.
bool group_fits(std::uint32_t group, std::uint32_t ranks, std::uint32_t microbatches) {
  if (microbatches < ranks) return group == microbatches;
  const std::uint32_t rest = microbatches % group;
  return group >= ranks && group <= microbatches && (rest == 0 || rest >= ranks);
}

}  // namespace

// PyTorch makes M / P rounds of equal size if that is a whole number of microbatches. Fewer rounds would make
// groups larger, and a smaller group leaves a rest shorter than P.
std::uint32_t default_group(std::uint32_t ranks, std::uint32_t microbatches) {
  std::uint32_t group = std::min(ranks, microbatches);
  while (!group_fits(group, ranks, microbatches)) ++group;
  return group;
}

RankOrder one_f_one_b(const RunShape& shape, RankId rank) {
  return alternating(shape, visits_ahead(shape, rank), [](RankOrder& order, Slot forward, Slot backward) {
    order.push_back(forward);
    order.push_back(backward);
  });
}

RankOrder one_f_one_b_overlap(const RunShape& shape, RankId rank) {
  return alternating(shape, visits_ahead(shape, rank) + 1, [](RankOrder& order, Slot both, Slot backward) {
    both.action = Action::ForwardBackward;
    both.backward_chunk = backward.chunk;
    both.backward_microbatch = backward.microbatch;
    order.push_back(both);
  });
}

// f1 .. fw | f(w+1) b1 f(w+2) b2 .. fT b(T-w) | b(T-w+1) .. bT: T visits in each direction, w of them ahead.
Slot one_f_one_b_slot(const RunShape& shape, RankId rank, std::uint64_t position) {
  const std::uint64_t all = std::uint64_t{shape.microbatches} * shape.chunks;
  const std::uint64_t ahead = std::min(visits_ahead(shape, rank), all), turn = position - ahead;
  const bool filling = position < ahead, draining = !filling && turn >= 2 * (all - ahead);
  const bool forward = filling || (!draining && turn % 2 == 0);
  const std::uint64_t n = filling ? position : draining ? position - all : turn / 2 + (forward ? ahead : 0);
  const auto [chunk, microbatch] = visit_at(shape, n);
  return {forward ? Action::Forward : Action::Backward,
          static_cast<std::uint32_t>(forward ? chunk : shape.chunks - 1 - chunk),
          MicrobatchId(static_cast<std::uint32_t>(microbatch))};
}

// The forwards ahead of the first backward, and the one that pairs with it.
double one_f_one_b_bound(const RunShape& shape, RankId rank) {
  return (static_cast<double>(visits_ahead(shape, rank)) + 1) / shape.chunks;
}

// The forwards ahead of the first pair, and the pair's own.
double one_f_one_b_overlap_bound(const RunShape& shape, RankId rank) {
  const std::uint64_t all = std::uint64_t{shape.microbatches} * shape.chunks;
  return static_cast<double>(std::min(visits_ahead(shape, rank) + 2, all)) / shape.chunks;
}

std::vector<Violation> check_overlap(std::string_view name, const RunShape& shape) {
  if (shape.chunks > 1 || shape.ranks == 1) return check_group(name, shape);
  const std::string text(name);
  return {{"", "/pipeline/ranks",
           "1 for " + text + " with one stage on a rank, since pairs of passes in several ranks need " +
               "interleaved stages (\"" + text + "," + text + "\")",
           std::to_string(shape.ranks)}};
}

std::vector<Violation> check_group(std::string_view, const RunShape& shape) {
  if (shape.chunks == 1 || group_fits(shape.group, shape.ranks, shape.microbatches)) return {};
  const std::string p = std::to_string(shape.ranks), m = std::to_string(shape.microbatches);
  if (shape.microbatches < shape.ranks) {
    return {{"", "/microbatch_group",
             "all " + m + " microbatches as one group, since they are fewer than the " + p + " ranks",
             std::to_string(shape.group)}};
  }
  return {{"", "/microbatch_group",
           "a microbatch group between " + p + " ranks and " + m +
               " microbatches that leaves no last group shorter than " + p + ", as Megatron requires (" +
               std::to_string(default_group(shape.ranks, shape.microbatches)) + " would do)",
           std::to_string(shape.group)}};
}

}  // namespace spillway
