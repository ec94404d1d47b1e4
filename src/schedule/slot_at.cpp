// A rank's order by formula: each slot from its position, so that an order too long to hold can be walked.
//
//   1F1B, woven or not   f1 .. fw | f(w+1) b1 f(w+2) b2 .. fT b(T-w) | b(T-w+1) .. bT     T visits each way,
//   GPipe                f1 .. fT | b1 .. bT                                              w of them ahead
//
// Which chunk and microbatch the k-th visit is: one_f_one_b.cpp, interleaved.cpp, gpipe.cpp, whose orders
// tests/schedule/slot_at_test.cpp holds equal.
#include <algorithm>

#include "schedule/skeleton.h"

namespace spillway {
namespace {

// Which forward or which backward of all of a rank's.
struct Visit {
  bool forward;
  std::uint64_t number;
};

Visit visit_at(std::uint64_t position, std::uint64_t ahead, std::uint64_t all) {
  if (position < ahead) return {true, position};
  const std::uint64_t turn = position - ahead;
  if (turn >= 2 * (all - ahead)) return {false, position - all};
  const bool forward = turn % 2 == 0;
  return {forward, turn / 2 + (forward ? ahead : 0)};
}

std::uint64_t visits_ahead(const RunShape& shape, RankId rank) {
  const std::uint64_t below = shape.ranks - rank.index() - 1;
  const std::uint64_t all = std::uint64_t{shape.microbatches} * shape.chunks;
  if (shape.chunks == 1) return std::min(below, all);
  return std::min(2 * below + std::uint64_t{shape.chunks - 1} * shape.group, all);
}

Slot slot_of(bool forward, const RunShape& shape, std::uint64_t chunk, std::uint64_t microbatch) {
  return {forward ? Action::Forward : Action::Backward,
          static_cast<std::uint32_t>(forward ? chunk : shape.chunks - 1 - chunk),
          MicrobatchId(static_cast<std::uint32_t>(microbatch))};
}

// Group by group, and in a group chunk by chunk; the last group may be shorter.
Slot one_f_one_b_slot(const RunShape& shape, RankId rank, std::uint64_t position) {
  const std::uint64_t all = std::uint64_t{shape.microbatches} * shape.chunks;
  const auto [forward, number] = visit_at(position, visits_ahead(shape, rank), all);
  if (shape.chunks == 1) return slot_of(forward, shape, 0, number);
  const std::uint64_t group = std::uint64_t{shape.group} * shape.chunks;
  const std::uint64_t first = number / group * shape.group, inside = number % group;
  const std::uint64_t size = std::min<std::uint64_t>(shape.group, shape.microbatches - first);
  return slot_of(forward, shape, inside / size, first + inside % size);
}

Slot gpipe_slot(const RunShape& shape, std::uint64_t position) {
  const std::uint64_t all = std::uint64_t{shape.microbatches} * shape.chunks;
  const auto [forward, number] = visit_at(position, all, all);
  return slot_of(forward, shape, number / shape.microbatches, number % shape.microbatches);
}

}  // namespace

bool follows_by_slot(Skeleton skeleton) {
  return skeleton == SkeletonKind::OneFOneB || skeleton == SkeletonKind::GPipe;
}

Slot slot_at(Skeleton skeleton, const RunShape& shape, RankId rank, std::uint64_t position) {
  if (skeleton == SkeletonKind::OneFOneB) return one_f_one_b_slot(shape, rank, position);
  ensure(skeleton == SkeletonKind::GPipe, "only 1F1B's and GPipe's orders follow slot by slot");
  return gpipe_slot(shape, position);
}

}  // namespace spillway
