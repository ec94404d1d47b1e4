// The skeleton of one region, and its consequences for the placement and for the order on each rank. All
// traits are in one table, skeletons.h.
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

// A kind is a skeleton by itself, except for wave(w), which has w, and Listed, which has its order and
// placement.
struct Skeleton {
  SkeletonKind kind;
  std::uint32_t waves = 0;                          // w of wave(w), at least 1; 0 for every other kind
  std::optional<Shared<PlacedOrders>> listed = {};  // for Listed; none if only its text is known

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
// Returns true if a list gives its placement and order.
inline bool is_listed(const Skeleton& skeleton) {
  return fold_of(skeleton) == Fold::Given;
}
inline bool weaves(const Skeleton& skeleton) {
  return traits_of(skeleton).weaving != Weaving::None;
}
// Returns true if it splits some or all backwards in two. True for Listed, which may do so.
inline bool splits_backward(const Skeleton& skeleton) {
  return traits_of(skeleton).backward == Backward::Split ||
         traits_of(skeleton).backward == Backward::Overlapped;
}
// Returns true if it runs forwards and backwards together. True for Listed, which may do so.
inline bool fuses(Backward backward) {
  return backward == Backward::Fused || backward == Backward::Overlapped;
}
inline bool fuses(const Skeleton& skeleton) {
  return fuses(traits_of(skeleton).backward);
}
inline bool needs_experts(const Skeleton& skeleton) {
  return traits_of(skeleton).needs == Needs::Experts;
}
inline bool plans(const Skeleton& skeleton) {
  return traits_of(skeleton).planned == Planned::ByTimes;
}
// Returns true if each slot of a rank's order follows from its position alone.
inline bool follows_by_slot(const Skeleton& skeleton) {
  return traits_of(skeleton).slot != nullptr;
}

// "1f1b", "wave(2)"; skeleton_from(to_string(x)) == x, except for the order of Listed. skeleton_from returns
// nothing for any other text.
std::string to_string(const Skeleton& skeleton);
std::string to_string(Layout layout);
std::optional<Skeleton> skeleton_from(std::string_view text);

// The number of stages of a region on a rank; 1 for Replicated regions, and for Listed, whose ranks may
// differ.
std::uint32_t chunks_of(const Skeleton& skeleton);

// The number of stages over which P ranks split the layers of a Sharded region.
std::uint64_t stage_count(const Skeleton& skeleton, std::uint32_t ranks);

// The stage, input first, that is chunk `chunk` of a rank. Contract: the fold is not Given.
std::uint32_t stage_of_chunk(Fold fold, std::uint32_t ranks, std::uint32_t chunk, std::uint32_t rank);

// The place of a stage of a Sharded region, or of one of its two copies.
struct StagePlace {
  std::uint32_t stage;  // input first
  RankId rank;
  std::uint32_t chunk;   // position among its rank's stages
  std::uint32_t chunks;  // number of stages on its rank
};

// All places: chunk by chunk and rank by rank; for Listed, input first.
std::vector<StagePlace> stage_places(const Skeleton& skeleton, std::uint32_t ranks);

// The default microbatch group of a run: the smallest that check_shape accepts. It is P if P divides M, and M
// if M < P. It equals PyTorch's rounds wherever PyTorch's schedule runs.
std::uint32_t default_group(std::uint32_t ranks, std::uint32_t microbatches);

// Returns the reasons why a skeleton refuses a shape. Interleaved 1F1B refuses groups outside [P, M], or
// other than M if M < P. Like Megatron, it refuses a last group shorter than P; the message suggests a valid
// group. DualPipe refuses what its authors refuse. Pointers are /microbatch_group and /pipeline/....
std::vector<Violation> check_shape(const Skeleton& skeleton, const RunShape& shape);

// The order on each rank: every (chunk, microbatch) of a rank has one forward and one backward, whole or
// split. Contract: check_shape finds nothing.
std::vector<RankOrder> rank_orders(const Skeleton& skeleton, const RunShape& shape);

// Returns rank_orders(skeleton, shape)[rank][position] without holding an order. Contract: follows_by_slot,
// check_shape finds nothing, and position < 2 x microbatches x chunks.
Slot slot_at(const Skeleton& skeleton, const RunShape& shape, RankId rank, std::uint64_t position);

// The most activations that `rank` holds under a skeleton's order. The unit is its whole slab (all its
// stages, taken as equal) for one microbatch. With split backwards an activation counts whole until the
// weight gradient, so the bound is never too small. With enough microbatches every rank reaches it, except
// under planned skeletons. Contract: a pipelined skeleton, and check_shape finds nothing.
double activation_bound(const Skeleton& skeleton, const RunShape& shape, RankId rank);

}  // namespace spillway
