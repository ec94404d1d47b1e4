// What rules one region, and what that says of its placement and of the order on each rank. What there is to
// be asked stands in one table, skeletons.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/shared.h"
#include "schedule/rank_order.h"
#include "schedule/skeletons.h"

namespace spillway {

// A kind alone is a skeleton, but for wave(w) and for Listed, whose order and placement come along.
struct Skeleton {
  SkeletonKind kind;
  std::uint32_t waves = 0;                          // w of wave(w), at least 1; 0 for every other kind
  std::optional<Shared<PlacedOrders>> listed = {};  // of Listed; none in what a text alone says of it

  Skeleton(SkeletonKind k, std::uint32_t w = 0) : kind(k), waves(w) {}
  explicit Skeleton(PlacedOrders orders) : kind(SkeletonKind::Listed), listed(std::move(orders)) {}
  friend bool operator==(const Skeleton&, const Skeleton&) = default;
};

const SkeletonTraits& traits_of(SkeletonKind kind);
inline const SkeletonTraits& traits_of(const Skeleton& skeleton) {
  return traits_of(skeleton.kind);
}

inline Layout layout_of(const Skeleton& skeleton) {
  return traits_of(skeleton).layout;
}
inline Fold fold_of(const Skeleton& skeleton) {
  return traits_of(skeleton).fold;
}
// Does a list lay its stages on the ranks, and its order down?
inline bool is_listed(const Skeleton& skeleton) {
  return fold_of(skeleton) == Fold::Given;
}
inline bool weaves(const Skeleton& skeleton) {
  return traits_of(skeleton).weaving != Weaving::None;
}
// Does it split backwards in two, some of them or all? Of Listed: it may.
inline bool splits_backward(const Skeleton& skeleton) {
  return traits_of(skeleton).backward != Backward::Whole;
}
inline bool plans(const Skeleton& skeleton) {
  return traits_of(skeleton).planned == Planned::ByTimes;
}
// Does each slot of a rank's order follow from its position alone?
inline bool follows_by_slot(const Skeleton& skeleton) {
  return traits_of(skeleton).slot != nullptr;
}

// "1f1b", "wave(2)"; skeleton_from(to_string(x)) == x, but for the order of Listed. Of another text nothing.
std::string to_string(const Skeleton& skeleton);
std::string to_string(Layout layout);
std::optional<Skeleton> skeleton_from(std::string_view text);

// How many stages of a region a rank holds; 1 for Replicated ones, and of Listed, which says it rank by rank.
std::uint32_t chunks_of(const Skeleton& skeleton);

// Over how many stages P ranks split the layers of a Sharded region.
std::uint64_t stage_count(const Skeleton& skeleton, std::uint32_t ranks);

// Which stage, input first, chunk `chunk` of a rank is. Contract: the fold is not Given.
std::uint32_t stage_of_chunk(Fold fold, std::uint32_t ranks, std::uint32_t chunk, std::uint32_t rank);

// A stage of a Sharded region, or one of its two copies, and where it lies.
struct StagePlace {
  std::uint32_t stage;  // input first
  RankId rank;
  std::uint32_t chunk;   // which of its rank's stages it is
  std::uint32_t chunks;  // how many of them its rank holds
};

// All of them: chunk by chunk and rank by rank, of Listed input first.
std::vector<StagePlace> stage_places(const Skeleton& skeleton, std::uint32_t ranks);

// The group a run gets when the user names none: the smallest that check_shape takes. That is P where P
// divides M, and what PyTorch's rounds have wherever its schedule runs, as M where M < P.
std::uint32_t default_group(std::uint32_t ranks, std::uint32_t microbatches);

// What a skeleton refuses of a shape: of woven 1F1B groups outside [P, M], or other than M where M < P, and,
// as Megatron does, a last group shorter than P, with a group that would do; what DualPipe's authors do.
// Pointers are /microbatch_group and /pipeline/....
std::vector<Violation> check_shape(const Skeleton& skeleton, const RunShape& shape);

// The order on each rank: every (chunk, microbatch) of it has one forward and one backward, whole or split.
// Contract: check_shape finds nothing.
std::vector<RankOrder> rank_orders(const Skeleton& skeleton, const RunShape& shape);

// rank_orders(skeleton, shape)[rank][position], no order being held. Contract: follows_by_slot, check_shape
// finds nothing, and position < 2 x microbatches x chunks.
Slot slot_at(const Skeleton& skeleton, const RunShape& shape, RankId rank, std::uint64_t position);

// The most activations `rank` ever holds under a skeleton's order, in units of its whole slab (all its
// stages, taken as equal) for one microbatch. With split backwards an activation counts whole until the
// weight gradient, which is never less than what is held. With enough microbatches every rank reaches it, but
// for the skeletons that come out of a plan. Contract: a pipelined skeleton, and check_shape finds nothing.
double activation_bound(const Skeleton& skeleton, const RunShape& shape, RankId rank);

}  // namespace spillway
