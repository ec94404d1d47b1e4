// ZB-H1, ZB-H2 and ZB-V against the Zero Bubble paper's table, closed forms and golden orders.
#include <gtest/gtest.h>

#include <cmath>

#include "support/timed_skeleton.h"

namespace spillway::testing {
namespace {

TEST(ZeroBubble, GoldenOrders) {
  EXPECT_EQ(order_text(rank_orders(SkeletonKind::ZbH1, shape_of(SkeletonKind::ZbH1, 3, 4))[1]),
            "F0.0 F0.1 I0.0 F0.2 I0.1 W0.0 F0.3 I0.2 W0.1 I0.3 W0.2 W0.3");
  EXPECT_EQ(order_text(rank_orders(SkeletonKind::ZbH2, shape_of(SkeletonKind::ZbH2, 3, 4))[1]),
            "F0.0 F0.1 F0.2 I0.0 F0.3 I0.1 I0.2 W0.0 I0.3 W0.1 W0.2 W0.3");
  EXPECT_EQ(order_text(rank_orders(SkeletonKind::ZbV, shape_of(SkeletonKind::ZbV, 2, 3))[0]),
            "F0.0 F0.1 F0.2 F1.0 I1.0 W1.0 F1.1 I1.1 W1.1 I0.0 W0.0 F1.2 I1.2 W1.2 I0.1 W0.1 I0.2 W0.2");
  EXPECT_EQ(order_text(rank_orders(SkeletonKind::ZbV, shape_of(SkeletonKind::ZbV, 2, 3))[1]),
            "F0.0 F1.0 F0.1 F1.1 I1.0 W1.0 F0.2 I0.0 W0.0 F1.2 I1.1 W1.1 I0.1 I1.2 I0.2 W0.1 W1.2 W0.2");
}

// Qi et al. 2024, profiled milliseconds and the bubble rates they imply; eight ranks.
struct Row {
  std::uint32_t microbatches;
  double forward, input, weight, transfer;
  double one_f_one_b, zb_h1, zb_h2;
};

constexpr Row kTable[] = {{24, 18.522, 18.086, 9.337, .601, .2431, .1585, .1083},
                          {32, 18.513, 18.086, 9.331, .626, .1985, .1242, .0837},
                          {64, 18.546, 18.097, 9.321, .762, .1240, .0674, .0444},
                          {24, 29.718, 29.444, 19.927, .527, .2347, .1323, .0698},
                          {32, 29.802, 29.428, 19.530, .577, .1898, .1045, .0559},
                          {64, 29.935, 29.621, 19.388, .535, .1091, .0554, .0294}};

TEST(ZeroBubble, TableToFourDigits) {
  const auto to_four_digits = [](double rate) { return std::round(rate * 1e4) / 1e4; };
  for (const Row& row : kTable) {
    const SlotDurations durations{row.forward, row.input, row.weight, 0, row.transfer};
    const auto rate = [&](Skeleton skeleton) {
      return to_four_digits(timed(skeleton, 8, row.microbatches, durations).bubble_rate());
    };
    EXPECT_DOUBLE_EQ(rate(SkeletonKind::OneFOneB), row.one_f_one_b) << row.microbatches;
    EXPECT_DOUBLE_EQ(rate(SkeletonKind::ZbH1), row.zb_h1) << row.microbatches;
    EXPECT_DOUBLE_EQ(rate(SkeletonKind::ZbH2), row.zb_h2) << row.microbatches;
  }
}

constexpr double kRatios[] = {.25, .5, .75, 1, 1.5, 2};

template <class Check>
void for_all_durations(double transfer, Check check) {
  for (double forward : kRatios) {
    for (double input : kRatios) {
      for (double weight : kRatios) check(SlotDurations{forward, input, weight, 0, transfer});
    }
  }
}

// The closed form holds exactly where the weight gradients fit between the forwards; no bubble is below it.
TEST(ZeroBubble, H1IsItsClosedFormExactlyWhereWIsAtMostF) {
  for (const auto& [p, m] : {std::pair{2U, 2U}, {4U, 4U}, {4U, 9U}, {8U, 16U}}) {
    for_all_durations(0, [&, p = p, m = m](const SlotDurations& d) {
      const double bubble = timed(SkeletonKind::ZbH1, p, m, d).bubble();
      const double form = (p - 1) * (d.forward + d.input_gradient - d.weight_gradient);
      EXPECT_EQ(std::abs(bubble - form) < 1e-9, d.weight_gradient <= d.forward)
          << "P=" << p << " M=" << m << ' ' << d.forward << ' ' << d.input_gradient << ' '
          << d.weight_gradient;
      EXPECT_GT(bubble, form - 1e-9);
    });
  }
}

TEST(ZeroBubble, H2IsItsClosedFormExactlyWhereTwoWFitBesides) {
  for (const auto& [p, m] : {std::pair{2U, 3U}, {4U, 7U}, {4U, 12U}, {8U, 16U}}) {
    for_all_durations(0, [&, p = p, m = m](const SlotDurations& d) {
      const double bubble = timed(SkeletonKind::ZbH2, p, m, d).bubble();
      const double form = (p - 1) * (d.forward + d.input_gradient - 2 * d.weight_gradient);
      const bool fits =
          d.weight_gradient <= d.forward && 2 * d.weight_gradient <= d.forward + d.input_gradient;
      EXPECT_EQ(std::abs(bubble - form) < 1e-9, fits) << "P=" << p << " M=" << m << ' ' << d.forward << ' '
                                                      << d.input_gradient << ' ' << d.weight_gradient;
      EXPECT_GT(bubble, form - 1e-9);
    });
  }
}

TEST(ZeroBubble, TransfersAddFourAndTwoPerRank) {
  constexpr double kTransfer = .1;  // at most half of every weight gradient
  for (const auto& [p, m] : {std::pair{2U, 3U}, {4U, 5U}, {4U, 8U}, {8U, 16U}}) {
    for_all_durations(kTransfer, [&, p = p, m = m](const SlotDurations& d) {
      const double f = d.forward, i = d.input_gradient, w = d.weight_gradient;
      if (w > f || 2 * w > f + i) return;
      EXPECT_NEAR(timed(SkeletonKind::ZbH1, p, m, d).bubble(), (p - 1) * (f + i - w + 4 * kTransfer), 1e-9);
      if (m < 2 * p - 1) return;
      EXPECT_NEAR(timed(SkeletonKind::ZbH2, p, m, d).bubble(), (p - 1) * (f + i - 2 * w + 2 * kTransfer),
                  1e-9);
    });
  }
}

// Zero means that no rank waits once it has begun, and the last begins (P-1)F after the first.
TEST(ZeroBubble, VLeavesNoRankIdleAtEqualDurations) {
  for (std::uint32_t p = 1; p <= 16; ++p) {
    for (std::uint32_t m : {2 * p - 1, 2 * p, 3 * p + 1, 64U}) {
      const SlotTimeline timeline = timed(SkeletonKind::ZbV, p, m);
      for (std::uint32_t r = 0; r < p; ++r) EXPECT_EQ(timeline.span(r), 6.0 * m) << p << ' ' << m << ' ' << r;
      EXPECT_EQ(timeline.bubble_rate(), 0);
      EXPECT_EQ(timeline.makespan(), 6.0 * m + p - 1);
    }
  }
}

TEST(ZeroBubble, VIdlesWhereDurationsDifferOrMicrobatchesAreFew) {
  EXPECT_GT(timed(SkeletonKind::ZbV, 4, 16, {1, 1.2, .8}).bubble(), 0);
  EXPECT_GT(timed(SkeletonKind::ZbV, 4, 16, {1, 1, 1, 0, .1}).bubble(), 0);
  EXPECT_GT(timed(SkeletonKind::ZbV, 4, 6).bubble(), 0);
}

TEST(ZeroBubble, EveryStageRunsEveryMicrobatchOncePerKind) {
  for (Skeleton skeleton : {SkeletonKind::ZbH1, SkeletonKind::ZbH2, SkeletonKind::ZbV}) {
    for (std::uint32_t p = 1; p <= 16; ++p) {
      for (std::uint32_t m : {1U, 2U, p, 2 * p - 1, 2 * p + 1, 40U}) {
        const SlotTimeline timeline = timed(skeleton, p, m);
        EXPECT_EQ(timeline.deadlock(), "") << to_string(skeleton) << ' ' << p << ' ' << m;
        EXPECT_EQ(timeline.incompleteness(), "") << to_string(skeleton) << ' ' << p << ' ' << m;
      }
    }
  }
}

}  // namespace
}  // namespace spillway::testing
