// The wave against the ratios and the formula of Hanayo, and what bounding its activations costs.
#include <gtest/gtest.h>

#include "support/timed_skeleton.h"

namespace spillway::testing {
namespace {

constexpr SlotDurations kTwiceAsLongBack{1, 1, 1};

Skeleton waves(std::uint32_t w) {
  return Skeleton(SkeletonKind::Wave, w);
}

double bubble_rate(std::uint32_t w, std::uint32_t ranks, std::uint32_t microbatches) {
  return timed(waves(w), ranks, microbatches, kTwiceAsLongBack).bubble_rate();
}

TEST(Wave, GoldenOneWaveOverTwoRanks) {
  const auto orders = rank_orders(waves(1), shape_of(waves(1), 2, 2));
  EXPECT_EQ(order_text(orders[0]), "F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 B0.0 B0.1");
  EXPECT_EQ(order_text(orders[1]), "F0.0 F1.0 F0.1 F1.1 B1.0 B0.0 B1.1 B0.1");
}

// Microbatch 2 enters as soon as 0 is back in stage 2, before 0 is back in stage 0 and not when it is in
// stage 1.
TEST(Wave, GoldenMoreMicrobatchesThanRanks) {
  const auto orders = rank_orders(waves(1), shape_of(waves(1), 2, 4));
  EXPECT_EQ(order_text(orders[0]),
            "F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 F0.2 B0.0 F0.3 B0.1 F1.2 B1.2 F1.3 B1.3 B0.2 B0.3");
  EXPECT_EQ(order_text(orders[1]),
            "F0.0 F1.0 F0.1 F1.1 B1.0 B0.0 B1.1 B0.1 F0.2 F1.2 F0.3 F1.3 B1.2 B0.2 B1.3 B0.3");
}

TEST(Wave, HoldsAsManySlabsAsRanksHoweverManyMicrobatches) {
  for (std::uint32_t p : {1U, 2U, 3U, 4U, 8U})
    for (std::uint32_t m : {p, p + 1, 2 * p, 4 * p + 3})
      for (std::uint32_t w : {1U, 2U, 3U})
        EXPECT_LE(timed(waves(w), p, m).peak_activations(), p) << w << ' ' << p << ' ' << m;
}

TEST(Wave, BubbleRatios) {
  EXPECT_NEAR(bubble_rate(1, 4, 4), .333, .0005);
  EXPECT_NEAR(bubble_rate(2, 4, 4), .213, .0005);
  EXPECT_NEAR(bubble_rate(4, 4, 4), .119, .0005);
  EXPECT_NEAR(bubble_rate(1, 8, 8), .368, .0005);
  EXPECT_NEAR(bubble_rate(2, 8, 8), .238, .0005);
  EXPECT_NEAR(bubble_rate(4, 8, 8), .135, .0005);
}

double formula(double w, double p) {
  return (2 * p - 2) / (3 * p * w + p - 1);
}

TEST(Wave, FormulaHoldsWithinSevenPercentFromTwoWavesOn) {
  for (std::uint32_t p : {4U, 8U}) {
    for (std::uint32_t w : {2U, 3U, 4U, 6U, 8U}) {
      EXPECT_NEAR(bubble_rate(w, p, p) / formula(w, p), 1, .07) << "P=" << p << " w=" << w;
    }
    EXPECT_LT(bubble_rate(1, p, p), formula(1, p));
  }
}

TEST(Wave, MoreMicrobatchesThanRanksIdleLess) {
  for (std::uint32_t p : {4U, 8U}) {
    for (std::uint32_t w : {1U, 2U, 4U}) {
      EXPECT_LT(bubble_rate(w, p, 2 * p), bubble_rate(w, p, p));
      EXPECT_LT(bubble_rate(w, p, 4 * p), bubble_rate(w, p, 2 * p));
    }
  }
  EXPECT_NEAR(bubble_rate(2, 8, 32), .163, .0005);
}

TEST(Wave, EveryStageRunsEveryMicrobatchOncePerKind) {
  for (std::uint32_t p : {1U, 2U, 3U, 5U, 8U}) {
    for (std::uint32_t m : {1U, 2U, p, p + 1, 3 * p}) {
      for (std::uint32_t w : {1U, 2U, 3U}) {
        const SlotTimeline timeline = timed(waves(w), p, m);
        EXPECT_EQ(timeline.deadlock(), "") << w << ' ' << p << ' ' << m;
        EXPECT_EQ(timeline.incompleteness(), "") << w << ' ' << p << ' ' << m;
      }
    }
  }
}

}  // namespace
}  // namespace spillway::testing
