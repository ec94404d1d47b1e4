// The table of all skeletons and their traits. The rest of the program asks only this table. To add a
// skeleton, write a file with its order and its bound (as gpipe.cpp), and here name its kind, declare the two
// and write its row. A kind without a row, or a row without a trait, does not compile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "schedule/rank_order.h"

namespace spillway {

// Listed to users in this order.
enum class SkeletonKind : std::uint8_t {
  OneFOneB,
  OneFOneBOverlap,
  GPipe,
  Transpose,
  ZbH1,
  ZbH2,
  Zb1p,
  Zb2p,
  ZbV,
  VHalf,
  VMin,
  Wave,
  DualPipe,
  DualPipeV,
  Listed
};

// Sharded: the ranks split the region. Replicated: each rank holds all of it.
enum class Layout { Sharded, Replicated };

// How a Sharded region's stages lie on P ranks, input first.
//   Straight       P stages, stage r on rank r
//   Reflected      cP stages, down the ranks and up again: chunk k of rank r is stage kP + r if k is even,
//                  kP + P-1-r if it is odd. c = 2: a V; c = 2w: w waves
//   Bidirectional  P stages, each held twice: chunk 0 of rank r is stage r, chunk 1 is stage P-1-r.
//                  Microbatches 1, 3, 5, ... enter at rank 0 and run through chunk 0; the others enter at
//                  rank P-1 and run through chunk 1
//   Given          as the region's list says
enum class Fold { Straight, Reflected, Bidirectional, Given };

struct Skeleton;

// A trait. It has no default constructor, so a row cannot leave it out.
template <class Value>
struct Stated {
  Value value;

  template <class Given>
  constexpr Stated(Given given) : value(given) {}
  constexpr operator Value() const { return value; }
};

// The orders of all ranks together, and the slot of a rank from its position alone.
using OrdersOf = std::vector<RankOrder> (*)(const Skeleton&, const RunShape&);
using SlotOf = Slot (*)(const RunShape&, RankId, std::uint64_t position);
// The most activations that a rank holds, in whole slabs (activation_bound in skeleton.h).
using BoundOf = double (*)(const RunShape&, RankId);
// The reasons why the skeleton, with the name that users write, refuses a shape (check_shape in skeleton.h).
using CheckOf = std::vector<Violation> (*)(std::string_view name, const RunShape&);

// How adjacent regions interleave in one wavefront, in which a rank has a chunk of each. None: they do not.
//   InGroups       microbatches pass a chunk in Megatron's groups (RunShape::group)
//   ForwardsFirst  breadth first, and in a stage every forward before any backward
enum class Weaving { None, InGroups, ForwardsFirst };

// Fused: all backwards are whole, and some run together with a forward.
// Overlapped: some or all backwards are split, and others run together with a forward.
enum class Backward { Whole, Split, Fused, Overlapped };

// A schedule is refused where the model lacks what it is for (check_needs in cost/analytic_costs.h).
enum class Needs { Nothing, Experts };

// The order follows from the shape alone, or also from expected times and sizes.
enum class Planned { ByShape, ByTimes };

// Stands for two chunks per wave, in skeletons that users write with a number of waves.
inline constexpr std::uint32_t kByWaves = 0;

struct SkeletonTraits {
  Stated<std::string_view> name;  // as users write it
  Stated<Layout> layout;
  Stated<Fold> fold;
  Stated<std::uint32_t> chunks;  // stages of a region on a rank; 1 if Replicated or Given
  Stated<Weaving> weaving;
  Stated<Backward> backward;
  Stated<Planned> planned;
  Stated<OrdersOf> orders;  // null: it has no order
  Stated<SlotOf> slot;      // null: its order must be held
  Stated<BoundOf> bound;    // null: it is not a pipeline
  Stated<CheckOf> check;    // null: it accepts every shape
  Stated<Needs> needs;
};

// Adapts a function that gives one rank's order to OrdersOf.
template <RankOrder (*order)(const RunShape&, RankId)>
std::vector<RankOrder> by_rank(const Skeleton&, const RunShape& shape) {
  std::vector<RankOrder> orders;
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) orders.push_back(order(shape, RankId(rank)));
  return orders;
}
template <std::vector<RankOrder> (*orders)(const RunShape&)>
std::vector<RankOrder> together(const Skeleton&, const RunShape& shape) {
  return orders(shape);
}
// A bound of `times` x P slabs.
template <std::uint32_t times>
double slabs(const RunShape& shape, RankId) {
  return double{times} * shape.ranks;
}

RankOrder one_f_one_b(const RunShape& shape, RankId rank);
Slot one_f_one_b_slot(const RunShape& shape, RankId rank, std::uint64_t position);
double one_f_one_b_bound(const RunShape& shape, RankId rank);
std::vector<Violation> check_group(std::string_view name, const RunShape& shape);
RankOrder one_f_one_b_overlap(const RunShape& shape, RankId rank);
double one_f_one_b_overlap_bound(const RunShape& shape, RankId rank);
std::vector<Violation> check_overlap(std::string_view name, const RunShape& shape);
RankOrder gpipe(const RunShape& shape, RankId rank);
Slot gpipe_slot(const RunShape& shape, RankId rank, std::uint64_t position);
double gpipe_bound(const RunShape& shape, RankId rank);
RankOrder zb_h1(const RunShape& shape, RankId rank);
RankOrder zb_h2(const RunShape& shape, RankId rank);
double zb_h2_bound(const RunShape& shape, RankId rank);
std::vector<RankOrder> zb_1p(const RunShape& shape);
std::vector<RankOrder> zb_2p(const RunShape& shape);
RankOrder zb_v(const RunShape& shape, RankId rank);
std::vector<RankOrder> v_half(const RunShape& shape);
double v_half_bound(const RunShape& shape, RankId rank);
std::vector<RankOrder> v_min(const RunShape& shape);
double v_min_bound(const RunShape& shape, RankId rank);
std::vector<RankOrder> wave(const RunShape& shape);
RankOrder dualpipe(const RunShape& shape, RankId rank);
double dualpipe_bound(const RunShape& shape, RankId rank);
std::vector<Violation> check_dualpipe(std::string_view name, const RunShape& shape);
RankOrder dualpipev(const RunShape& shape, RankId rank);
double dualpipev_bound(const RunShape& shape, RankId rank);
std::vector<Violation> check_fill(std::string_view name, const RunShape& shape);
std::vector<RankOrder> listed_orders(const Skeleton& skeleton, const RunShape& shape);

// The row of a kind; none for a number that is not a kind.
constexpr std::optional<SkeletonTraits> traits_row(SkeletonKind kind) {
  using enum Layout;
  using enum Fold;
  using enum Backward;
  using enum Planned;
  using enum Weaving;
  // clang-format off
  switch (kind) {
    case SkeletonKind::OneFOneB:
      return SkeletonTraits{"1f1b", Sharded, Straight, 1, InGroups, Whole, ByShape,
                            by_rank<one_f_one_b>, one_f_one_b_slot, one_f_one_b_bound, check_group,
                            Needs::Nothing};
    case SkeletonKind::OneFOneBOverlap:
      return SkeletonTraits{"1f1b-overlap", Sharded, Straight, 1, InGroups, Fused, ByShape,
                            by_rank<one_f_one_b_overlap>, nullptr, one_f_one_b_overlap_bound, check_overlap,
                            Needs::Experts};
    case SkeletonKind::GPipe:
      return SkeletonTraits{"gpipe", Sharded, Straight, 1, ForwardsFirst, Whole, ByShape,
                            by_rank<gpipe>, gpipe_slot, gpipe_bound, nullptr, Needs::Nothing};
    case SkeletonKind::Transpose:
      return SkeletonTraits{"transpose", Replicated, Straight, 1, None, Whole, ByShape,
                            nullptr, nullptr, nullptr, nullptr, Needs::Nothing};
    case SkeletonKind::ZbH1:
      return SkeletonTraits{"zb-h1", Sharded, Straight, 1, None, Split, ByShape,
                            by_rank<zb_h1>, nullptr, slabs<1>, nullptr, Needs::Nothing};
    case SkeletonKind::ZbH2:
      return SkeletonTraits{"zb-h2", Sharded, Straight, 1, None, Split, ByShape,
                            by_rank<zb_h2>, nullptr, zb_h2_bound, nullptr, Needs::Nothing};
    case SkeletonKind::Zb1p:
      return SkeletonTraits{"zb-1p", Sharded, Straight, 1, None, Split, ByTimes,
                            together<zb_1p>, nullptr, slabs<1>, nullptr, Needs::Nothing};
    case SkeletonKind::Zb2p:
      return SkeletonTraits{"zb-2p", Sharded, Straight, 1, None, Split, ByTimes,
                            together<zb_2p>, nullptr, slabs<2>, nullptr, Needs::Nothing};
    case SkeletonKind::ZbV:
      return SkeletonTraits{"zb-v", Sharded, Reflected, 2, None, Split, ByShape,
                            by_rank<zb_v>, nullptr, slabs<1>, nullptr, Needs::Nothing};
    case SkeletonKind::VHalf:
      return SkeletonTraits{"v-half", Sharded, Reflected, 2, None, Split, ByTimes,
                            together<v_half>, nullptr, v_half_bound, nullptr, Needs::Nothing};
    case SkeletonKind::VMin:
      return SkeletonTraits{"v-min", Sharded, Reflected, 2, None, Split, ByTimes,
                            together<v_min>, nullptr, v_min_bound, nullptr, Needs::Nothing};
    case SkeletonKind::Wave:
      return SkeletonTraits{"wave", Sharded, Reflected, kByWaves, None, Whole, ByShape,
                            together<wave>, nullptr, slabs<1>, nullptr, Needs::Nothing};
    case SkeletonKind::DualPipe:
      return SkeletonTraits{"dualpipe", Sharded, Bidirectional, 2, None, Overlapped, ByShape,
                            by_rank<dualpipe>, nullptr, dualpipe_bound, check_dualpipe, Needs::Nothing};
    case SkeletonKind::DualPipeV:
      return SkeletonTraits{"dualpipev", Sharded, Reflected, 2, None, Overlapped, ByShape,
                            by_rank<dualpipev>, nullptr, dualpipev_bound, check_fill, Needs::Nothing};
    // A list may split or overlap backwards; only the list itself says so.
    case SkeletonKind::Listed:
      return SkeletonTraits{"listed", Sharded, Given, 1, None, Overlapped, ByShape,
                            listed_orders, nullptr, gpipe_bound, nullptr, Needs::Nothing};
  }
  // clang-format on
  return std::nullopt;
}

inline constexpr std::size_t kSkeletonKinds = [] {
  std::size_t kinds = 0;
  while (traits_row(static_cast<SkeletonKind>(kinds))) ++kinds;
  return kinds;
}();

inline constexpr std::array<SkeletonKind, kSkeletonKinds> kEverySkeleton = [] {
  std::array<SkeletonKind, kSkeletonKinds> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = static_cast<SkeletonKind>(i);
  return kinds;
}();

}  // namespace spillway
