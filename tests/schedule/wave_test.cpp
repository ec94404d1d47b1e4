// The wave against the ratios and the formula of Hanayo, and the cost of bounding its activations.
#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

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

// Microbatch 2 enters as soon as 0 is back in stage 2: before 0 is back in stage 0, and not when it is in
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

// Runs the plan's orders: F = 1, B = 2, no transfers, and microbatch m enters when the backward of m-P has
// ended in stage S/2.
class EntryClock {
 public:
  EntryClock(std::uint32_t ranks, std::uint32_t waves, std::uint32_t microbatches)
      : ranks_(ranks),
        stages_(2 * ranks * waves),
        orders_(rank_orders(Skeleton(SkeletonKind::Wave, waves), {ranks, microbatches, 2 * waves, ranks})),
        next_(ranks, 0),
        free_at_(ranks, 0) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) moved |= run(rank);
    }
  }

  double due(std::uint32_t m) const { return end(Action::Backward, stages_ / 2, m - ranks_); }
  double entered(std::uint32_t m) const { return end(Action::Forward, 0, m) - 1; }

  double busy(std::uint32_t rank, double from, double to) const {
    double busy = 0;
    for (const auto& [start, end] : spans_.at(rank))
      busy += std::max(0.0, std::min(to, end) - std::max(from, start));
    return busy;
  }

 private:
  using Pass = std::tuple<Action, std::uint32_t, std::uint32_t>;  // stage, microbatch

  double end(Action action, std::uint32_t stage, std::uint32_t m) const {
    return ends_.at({action, stage, m});
  }

  std::vector<Pass> needs(Action action, std::uint32_t stage, std::uint32_t m) const {
    std::vector<Pass> needs;
    if (action == Action::Backward)
      needs.emplace_back(stage + 1 == stages_ ? Pass(Action::Forward, stage, m) : Pass(action, stage + 1, m));
    else if (stage > 0)
      needs.emplace_back(action, stage - 1, m);
    else if (m >= ranks_)
      needs.emplace_back(Action::Backward, stages_ / 2, m - ranks_);
    return needs;
  }

  bool run(std::uint32_t rank) {
    bool moved = false;
    for (; next_[rank] < orders_[rank].size(); ++next_[rank], moved = true) {
      const Slot& slot = orders_[rank][next_[rank]];
      const std::uint32_t stage = stage_of_chunk(Fold::Reflected, ranks_, slot.chunk, rank),
                          m = slot.microbatch.index();
      double start = free_at_[rank];
      for (const Pass& need : needs(slot.action, stage, m)) {
        if (!ends_.contains(need)) return moved;
        start = std::max(start, ends_.at(need));
      }
      free_at_[rank] = start + (slot.action == Action::Forward ? 1 : 2);
      ends_[{slot.action, stage, m}] = free_at_[rank];
      spans_[rank].emplace_back(start, free_at_[rank]);
    }
    return moved;
  }

  std::uint32_t ranks_, stages_;
  std::vector<RankOrder> orders_;
  std::vector<std::size_t> next_;
  std::vector<double> free_at_;
  std::map<Pass, double> ends_;
  std::map<std::uint32_t, std::vector<std::pair<double, double>>> spans_;
};

// A microbatch enters when the one P before it is halfway back. Until it enters, rank 0 runs only passes that
// come before it.
TEST(Wave, AMicrobatchEntersWhenTheOnePBeforeIsHalfWayBack) {
  for (std::uint32_t p : {1U, 2U, 3U, 4U, 7U}) {
    for (std::uint32_t w : {1U, 2U, 3U}) {
      const std::uint32_t microbatches = 4 * p + 1;
      const EntryClock clock(p, w, microbatches);
      for (std::uint32_t m = p; m < microbatches; ++m)
        EXPECT_EQ(clock.busy(0, clock.due(m), clock.entered(m)), clock.entered(m) - clock.due(m))
            << p << ' ' << w << ' ' << m;
      EXPECT_LE(timed(waves(w), p, microbatches, kTwiceAsLongBack).peak_activations(), p) << p << ' ' << w;
    }
  }
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
