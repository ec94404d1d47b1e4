// The activations that orders hold, counted slot by slot, against the bounds that the skeletons state.
#include <gtest/gtest.h>

#include "support/timed_skeleton.h"

namespace spillway::testing {
namespace {

constexpr double kUntilWeightGradient = 1, kHalf = 0.5;  // shares of an activation that its W needs

struct Held {
  SlotTimeline timeline;
  Skeleton skeleton;
  RunShape shape;

  double peak(std::uint32_t r, double share) const { return timeline.peak_activations(r, share); }
  double bound(std::uint32_t r) const { return activation_bound(skeleton, shape, RankId(r)); }
};

Held held(Skeleton skeleton, const RunShape& shape) {
  return {SlotTimeline(skeleton, shape, rank_orders(skeleton, shape)), skeleton, shape};
}

template <class Check>
void for_all_shapes(Skeleton skeleton, Check check) {
  for (std::uint32_t p : {1U, 2U, 3U, 4U, 6U, 8U, 11U, 16U}) {
    for (std::uint32_t m : {1U, 2U, 3U, 8U, 15U, 16U, 24U, 33U, 64U}) {
      const RunShape shape = shape_of(skeleton, p, m);
      if (!check_shape(skeleton, shape).empty()) continue;
      SCOPED_TRACE(to_string(skeleton) + " P=" + std::to_string(p) + " M=" + std::to_string(m));
      check(held(skeleton, shape));
    }
  }
}

TEST(ActivationBound, IsNeverBroken) {
  for (Skeleton skeleton :
       {Skeleton(SkeletonKind::ZbH1), Skeleton(SkeletonKind::ZbH2), Skeleton(SkeletonKind::ZbV),
        Skeleton(SkeletonKind::DualPipe), Skeleton(SkeletonKind::DualPipeV), Skeleton(SkeletonKind::Wave, 1),
        Skeleton(SkeletonKind::Wave, 2), Skeleton(SkeletonKind::Wave, 3)}) {
    for_all_shapes(skeleton, [](const Held& held) {
      for (std::uint32_t r = 0; r < held.shape.ranks; ++r) {
        EXPECT_LE(held.peak(r, kUntilWeightGradient), held.bound(r)) << "rank " << r;
        EXPECT_LE(held.peak(r, kHalf), held.bound(r)) << "rank " << r;
      }
    });
  }
}

// The bound is reached on every rank if there are as many microbatches as the order is made for.
TEST(ActivationBound, IsReachedOnEveryRank) {
  for (Skeleton skeleton :
       {SkeletonKind::OneFOneB, SkeletonKind::GPipe, SkeletonKind::ZbH1, SkeletonKind::ZbH2,
        SkeletonKind::ZbV, SkeletonKind::DualPipe, SkeletonKind::DualPipeV}) {
    for_all_shapes(skeleton, [](const Held& held) {
      const bool woven = weaves(held.skeleton);
      if (!woven && held.shape.microbatches < 2 * held.shape.ranks - 1) return;
      for (std::uint32_t r = 0; r < held.shape.ranks; ++r) {
        EXPECT_EQ(held.peak(r, kUntilWeightGradient), held.bound(r)) << "rank " << r;
      }
    });
  }
}

TEST(ActivationBound, OfInterleavedOneFOneB) {
  for (std::uint32_t p : {2U, 4U, 8U}) {
    for (std::uint32_t v : {2U, 3U, 4U}) {
      const Held held = spillway::testing::held(SkeletonKind::OneFOneB, {p, 4 * p, v, p});
      for (std::uint32_t r = 0; r < p; ++r) EXPECT_DOUBLE_EQ(held.peak(r, kHalf), held.bound(r));
      EXPECT_DOUBLE_EQ(held.bound(0), p * (1 + (p - 1.0) / (p * v)));
    }
  }
}

TEST(ActivationBound, InTheUnitOfARanksSlab) {
  const auto bound = [](Skeleton skeleton, std::uint32_t p, std::uint32_t m, std::uint32_t r) {
    return activation_bound(skeleton, shape_of(skeleton, p, m), RankId(r));
  };
  EXPECT_EQ(bound(SkeletonKind::OneFOneB, 8, 20, 3), 5);
  EXPECT_EQ(bound(SkeletonKind::OneFOneB, 8, 2, 3), 2);
  EXPECT_EQ(bound(SkeletonKind::GPipe, 8, 20, 3), 20);
  EXPECT_EQ(bound(SkeletonKind::ZbH1, 8, 20, 3), 8);
  EXPECT_EQ(bound(SkeletonKind::ZbH2, 8, 20, 3), 15);
  EXPECT_EQ(bound(SkeletonKind::ZbV, 8, 20, 3), 8);
  EXPECT_EQ(bound(SkeletonKind::DualPipe, 8, 20, 3), 4.5);   // P + 1 stages of two
  EXPECT_EQ(bound(SkeletonKind::DualPipeV, 8, 20, 3), 8.5);  // 2P + 1 stages of two
  EXPECT_EQ(bound(Skeleton(SkeletonKind::Wave, 4), 8, 20, 3), 8);
  EXPECT_THROW(bound(SkeletonKind::Transpose, 8, 20, 3), ContractBreach);
}

// A split backward frees early: with half of an activation waiting for its weight gradient, every rank of
// ZB-H1 but the first holds less than 1F1B's first rank.
TEST(ActivationBound, CountsHalvesWhereTheWeightGradientNeedsHalf) {
  const Held h1 = held(SkeletonKind::ZbH1, shape_of(SkeletonKind::ZbH1, 8, 20));
  for (std::uint32_t r = 0; r < 8; ++r) EXPECT_EQ(h1.peak(r, kHalf), 8 - r / 2.0) << "rank " << r;
}

}  // namespace
}  // namespace spillway::testing
