// DualPipe and DualPipeV against published totals, the closed form, and each other.
#include <gtest/gtest.h>

#include "support/timed_skeleton.h"

namespace spillway::testing {
namespace {

TEST(DualPipe, GoldenEightSteps) {
  const auto orders = rank_orders(SkeletonKind::DualPipeV, shape_of(SkeletonKind::DualPipeV, 2, 4));
  EXPECT_EQ(order_text(orders[0]),
            "F0.0 F0.1 F0.2 F1.0 I1.0 W1.0 F1.1 F0.3&B1.1 F1.2&B0.0 B1.2 F1.3&B0.1 B1.3 I0.2 W0.2 I0.3 W0.3");
  EXPECT_EQ(order_text(orders[1]),
            "F0.0 F1.0 F0.1 F1.1 F0.2 B1.0 F1.2&B0.0 F0.3&B1.1 F1.3&B0.1 B1.2 B0.2 I1.3 I0.3 W1.3 W0.3");
}

// Microbatches 2i and 2i + 1 of DualPipe's two feeds are microbatch i of DualPipeV.
RankOrder as_one_feed(RankOrder order) {
  for (Slot& slot : order) {
    slot.microbatch = MicrobatchId(slot.microbatch.index() / 2);
    slot.backward_microbatch = MicrobatchId(slot.backward_microbatch.index() / 2);
  }
  return order;
}

RankOrder with_chunks_exchanged(RankOrder order) {
  for (Slot& slot : order) {
    slot.chunk = 1 - slot.chunk;
    if (slot.action == Action::ForwardBackward) slot.backward_chunk = 1 - slot.backward_chunk;
  }
  return order;
}

TEST(DualPipe, EachHalfIsDualPipeV) {
  for (std::uint32_t p = 2; p <= 12; p += 2) {
    for (std::uint32_t m : {2 * p, 2 * p + 2, 5 * p}) {
      const auto both = rank_orders(SkeletonKind::DualPipe, shape_of(SkeletonKind::DualPipe, p, m));
      const auto half = rank_orders(SkeletonKind::DualPipeV, shape_of(SkeletonKind::DualPipeV, p / 2, m / 2));
      for (std::uint32_t r = 0; r < p / 2; ++r) {
        EXPECT_EQ(as_one_feed(both[r]), half[r]);
        EXPECT_EQ(with_chunks_exchanged(as_one_feed(both[p - 1 - r])), half[r]);
      }
    }
  }
}

// deepseek-ai/DualPipe's picture has eight ranks and twenty microbatches.
TEST(DualPipe, Totals) {
  EXPECT_EQ(timed(SkeletonKind::DualPipe, 8, 20, {1, 1, 1, 3}).makespan(), 66);
  EXPECT_EQ(timed(SkeletonKind::DualPipe, 8, 20, {1, 1, 1, 2.75}).makespan(), 62.5);
  EXPECT_EQ(timed(SkeletonKind::DualPipe, 8, 20, {1, 1, 1, 2.5}).makespan(), 59);
  EXPECT_EQ(timed(SkeletonKind::DualPipeV, 4, 10, {1, 1, 1, 3}).makespan(), 66);
}

constexpr SlotDurations kDurations[] = {
    {1, 1, 1, 3}, {1, 1, 1, 2.75}, {1, 1, 1, 2}, {1, 1, .5, 2.5}, {2, 2, 1, 4}};

double closed_form(std::uint32_t half, const SlotDurations& d) {
  return (half - 1) * (d.fused + d.input_gradient - 2 * d.weight_gradient);
}

// The closed form is for the ranks in the middle, with F = I and W <= F.
TEST(DualPipe, BubbleIsItsClosedForm) {
  for (std::uint32_t p = 2; p <= 32; p += 2) {
    for (std::uint32_t m : {2 * p, 2 * p + 2, 4 * p}) {
      for (const SlotDurations& d : kDurations) {
        const SlotTimeline two_feeds = timed(SkeletonKind::DualPipe, p, m, d);
        EXPECT_NEAR(two_feeds.makespan() - two_feeds.busy(p / 2), closed_form(p / 2, d), 1e-9)
            << p << ' ' << m;
        const SlotTimeline folded = timed(SkeletonKind::DualPipeV, p / 2, m / 2, d);
        EXPECT_NEAR(folded.makespan() - folded.busy(p / 2 - 1), closed_form(p / 2, d), 1e-9) << p << ' ' << m;
      }
    }
  }
}

TEST(DualPipe, OuterRanksIdleLessByTheOverlapTheyDoNotHave) {
  for (const SlotDurations& d : kDurations) {
    const double saved = d.forward + d.input_gradient + d.weight_gradient - d.fused;
    const SlotTimeline timeline = timed(SkeletonKind::DualPipe, 8, 20, d);
    // Rank 0 overlaps 9 times, and the middle ranks 11 times.
    EXPECT_NEAR(timeline.makespan() - timeline.busy(0), closed_form(4, d) - 2 * saved, 1e-9);
  }
}

TEST(DualPipe, EveryStageRunsEveryMicrobatchOncePerKind) {
  for (std::uint32_t p = 1; p <= 16; ++p) {
    for (std::uint32_t m : {2 * p, 2 * p + 1, 2 * p + 6, 64U}) {
      for (Skeleton skeleton : {SkeletonKind::DualPipe, SkeletonKind::DualPipeV}) {
        if (!check_shape(skeleton, shape_of(skeleton, p, m)).empty()) continue;
        const SlotTimeline timeline = timed(skeleton, p, m);
        EXPECT_EQ(timeline.deadlock(), "") << to_string(skeleton) << ' ' << p << ' ' << m;
        EXPECT_EQ(timeline.incompleteness(), "") << to_string(skeleton) << ' ' << p << ' ' << m;
      }
    }
  }
}

using Lines = std::vector<std::string>;

Lines refusal(Skeleton skeleton, std::uint32_t ranks, std::uint32_t microbatches) {
  Lines lines;
  for (const Violation& violation : check_shape(skeleton, shape_of(skeleton, ranks, microbatches))) {
    lines.push_back(to_string(violation));
  }
  return lines;
}

TEST(DualPipe, RefusesWhatItsAuthorsRefuse) {
  EXPECT_EQ(refusal(SkeletonKind::DualPipe, 8, 16), Lines{});
  EXPECT_EQ(
      refusal(SkeletonKind::DualPipe, 5, 9),
      (Lines{
          ": /pipeline/ranks: expected an even number for dualpipe, whose halves mirror each other, found 5",
          ": /pipeline/microbatches: expected an even number for dualpipe, half of which enter at each "
          "end, found 9",
          ": /pipeline/microbatches: expected at least 10 for dualpipe, twice the 5 ranks, found 9"}));
  EXPECT_EQ(
      refusal(SkeletonKind::DualPipe, 8, 14),
      (Lines{": /pipeline/microbatches: expected at least 16 for dualpipe, twice the 8 ranks, found 14"}));
  EXPECT_EQ(refusal(SkeletonKind::DualPipeV, 5, 11), Lines{});
  EXPECT_EQ(
      refusal(SkeletonKind::DualPipeV, 5, 9),
      (Lines{": /pipeline/microbatches: expected at least 10 for dualpipev, twice the 5 ranks, found 9"}));
}

}  // namespace
}  // namespace spillway::testing
