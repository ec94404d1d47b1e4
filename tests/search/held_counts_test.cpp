// Counts of what orders hold in memory, by hand and against the bounds in the literature.
#include "search/held_counts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace spillway {
namespace {

using ByRank = std::vector<std::vector<HeldCounts>>;

TEST(HeldCounts, OneFOneBHoldsAsManyAsThereAreRanksBehind) {
  EXPECT_EQ(held_counts({SkeletonKind::OneFOneB}, {3, 8, 1, 3}),
            (ByRank{{{0, {3}, {0}}}, {{0, {2}, {0}}}, {{0, {1}, {0}}}}));
  EXPECT_EQ(held_counts({SkeletonKind::OneFOneB}, {3, 2, 1, 3}),
            (ByRank{{{0, {2}, {0}}}, {{0, {2}, {0}}}, {{0, {1}, {0}}}}));
}

TEST(HeldCounts, GPipeHoldsAll) {
  EXPECT_EQ(held_counts({SkeletonKind::GPipe}, {2, 5, 1, 2}), (ByRank{{{0, {5}, {0}}}, {{0, {5}, {0}}}}));
}

// For skeletons that plan their orders, only counts that hold in every order are returned.
TEST(HeldCounts, PlannedOrdersHoldTheMicrobatchWhoseBackwardBegins) {
  EXPECT_EQ(held_counts({SkeletonKind::VHalf}, {1, 4, 2, 1}),
            (ByRank{{{0, {1, 0}, {0, 0}}, {1, {0, 1}, {0, 0}}}}));
}

// With this many microbatches every order reaches its bound, and none exceeds it, counted in slabs.
TEST(HeldCounts, AreAtMostTheSkeletonsBounds) {
  for (const SkeletonKind kind : {SkeletonKind::OneFOneB, SkeletonKind::GPipe, SkeletonKind::ZbH1,
                                  SkeletonKind::ZbH2, SkeletonKind::ZbV, SkeletonKind::DualPipeV}) {
    const Skeleton skeleton(kind);
    const std::uint32_t chunks = chunks_of(skeleton);
    const RunShape shape{4, 24, chunks, 4};
    const ByRank by_rank = held_counts(skeleton, shape);
    for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
      double most = 0;
      for (const HeldCounts& one : by_rank[rank]) {
        double held = 0;
        for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
          held += one.activations[chunk] + one.for_weight_gradient[chunk];
        most = std::max(most, held / chunks);
      }
      EXPECT_LE(most, activation_bound(skeleton, shape, RankId(rank))) << to_string(skeleton);
      EXPECT_GE(most, activation_bound(skeleton, shape, RankId(rank)) / 2) << to_string(skeleton);
    }
  }
}

}  // namespace
}  // namespace spillway
