// V-Half and V-Min against their authors' figures at F = I = W, and under any expected times.
#include <gtest/gtest.h>

#include "schedule/skeleton.h"
#include "support/random_expectations.h"
#include "support/slot_timeline.h"

namespace spillway::testing {
namespace {

constexpr SkeletonKind kControlled[] = {SkeletonKind::VHalf, SkeletonKind::VMin};

SlotTimeline timed_shape(Skeleton skeleton, const RunShape& shape) {
  return SlotTimeline(skeleton, shape, rank_orders(skeleton, shape));
}

// Returns 1F1B's bubble where a chunk takes 1 for each of F, I and W, and so a stage 2.
double bubble_of_1f1b(std::uint32_t p) {
  return 6.0 * (p - 1);
}

// The authors' table states (p+2)//2 and (p+4)//3 microbatches' activations (huggingface.co, sail,
// pipeline-parallelism-with-controllable-memory, description1.md).
std::uint32_t most_activations(Skeleton skeleton, std::uint32_t p) {
  return skeleton.kind == SkeletonKind::VHalf ? (p + 2) / 2 : (p + 4) / 3;
}

// An activation is whole until the weight gradient, as the authors count, or `weight_share` of it is left
// from the input gradient on.
double peak(const SlotTimeline& timeline, std::uint32_t ranks, double weight_share) {
  double most = 0;
  for (std::uint32_t r = 0; r < ranks; ++r) most = std::max(most, timeline.peak_activations(r, weight_share));
  return most;
}

TEST(VControlled, EverySmallShapeIsCompleteAndRunsWithinItsMemory) {
  for (Skeleton skeleton : kControlled) {
    for (std::uint32_t p = 1; p <= 10; ++p) {
      for (std::uint32_t m = 1; m <= 16; ++m) {
        const SlotTimeline timeline = timed_shape(skeleton, {p, m, 2, p});
        ASSERT_EQ(timeline.incompleteness(), "");
        ASSERT_EQ(timeline.deadlock(), "");
        ASSERT_LE(peak(timeline, p, 1), std::min(m, most_activations(skeleton, p)));
      }
    }
  }
}

// The authors' own scheduler leaves, from M = 2P on, 3P-7 (even P) and 3P-4 (odd P).
TEST(VControlled, VHalfHasHalfTheBubbleOf1F1BInHalfTheMemory) {
  for (std::uint32_t p = 2; p <= 24; ++p) {
    for (std::uint32_t m : {p, p + 1, 2 * p, 4 * p}) {
      const SlotTimeline timeline = timed_shape(SkeletonKind::VHalf, {p, m, 2, p});
      EXPECT_LE(timeline.bubble(), bubble_of_1f1b(p) / 2) << "P=" << p << " M=" << m;
      EXPECT_LE(peak(timeline, p, 1), (p + 2) / 2);
      if (m < 2 * p) continue;
      EXPECT_EQ(timeline.bubble(), p == 2 ? 1 : p % 2 == 0 ? 3.0 * p - 7 : 3.0 * p - 4) << "P=" << p;
      EXPECT_EQ(peak(timeline, p, 1), (p + 2) / 2);
    }
  }
}

// The authors' own scheduler leaves 4P-5, or 4P-7 if 3 divides P.
TEST(VControlled, VMinHasTwoThirdsOfTheBubbleOf1F1BInAThirdOfTheMemory) {
  for (std::uint32_t p = 2; p <= 24; ++p) {
    for (std::uint32_t m : {1U, 2U, p, p + 1, 2 * p, 4 * p}) {
      const SlotTimeline timeline = timed_shape(SkeletonKind::VMin, {p, m, 2, p});
      EXPECT_LE(timeline.bubble(), 4.0 * p - 5) << "P=" << p << " M=" << m;
      EXPECT_LE(timeline.bubble(), bubble_of_1f1b(p) * 2 / 3);
      EXPECT_LE(peak(timeline, p, 1), (p + 4) / 3);
    }
  }
}

// For many ranks the ratios are a half and a third of the memory, a half and two thirds of the bubble.
TEST(VControlled, RatiosTo1F1BAtSixtyFourRanks) {
  const RunShape shape{64, 256, 2, 64};
  const SlotTimeline half = timed_shape(SkeletonKind::VHalf, shape),
                     min = timed_shape(SkeletonKind::VMin, shape);
  for (const SlotTimeline* timeline : {&half, &min}) {
    EXPECT_EQ(timeline->incompleteness(), "");
    EXPECT_EQ(timeline->deadlock(), "");
  }
  EXPECT_NEAR(half.bubble() / bubble_of_1f1b(64), 1.0 / 2, 1.0 / 64);
  EXPECT_NEAR(min.bubble() / bubble_of_1f1b(64), 2.0 / 3, 1.0 / 64);
  EXPECT_NEAR(peak(half, 64, 1) / 64, 1.0 / 2, 0.02);
  EXPECT_NEAR(peak(min, 64, 1) / 64, 1.0 / 3, 0.02);
}

double bubble(Skeleton skeleton, std::uint32_t p, std::uint32_t m, const SlotDurations& durations) {
  RunShape shape{p, m, 2, p};
  shape.expected.stages.assign(
      std::size_t{2} * p,
      {Seconds(durations.forward), Seconds(durations.input_gradient), Seconds(durations.weight_gradient)});
  shape.expected.transfer = Seconds(durations.transfer);
  return SlotTimeline(skeleton, shape, rank_orders(skeleton, shape), durations).bubble();
}

// The bubbles are those of the authors' scheduler (zbv_greedy.py run with these times), M = 4P. Ours may be
// half a slot longer, since it moves passes forward in another way.
TEST(VControlled, IsAsShortAsTheAuthorsAtOtherTimes) {
  struct Case {
    SlotDurations durations;
    std::uint32_t ranks;
    double half, min;
  };
  const Case cases[] = {
      {{1, 1.2, 0.8, 0, 0}, 4, 7.8, 30.4},       {{1, 1.2, 0.8, 0, 0}, 8, 23.0, 66.6},
      {{1, 0.98, 0.5, 0, 0.03}, 4, 8.14, 28.96}, {{1, 0.98, 0.5, 0, 0.03}, 5, 14.26, 37.74},
      {{1, 0.98, 0.5, 0, 0.03}, 8, 22.8, 64.68}, {{1, 1, 1, 0, 0.3}, 5, 19.4, 46.2},
      {{1, 1, 1, 0, 0.3}, 6, 21.2, 56.6},        {{1, 1, 1, 0, 0.3}, 8, 31.4, 83.4},
  };
  for (const auto& [durations, p, half, min] : cases) {
    EXPECT_LE(bubble(SkeletonKind::VHalf, p, 4 * p, durations), half + 0.5) << "P=" << p;
    EXPECT_LE(bubble(SkeletonKind::VMin, p, 4 * p, durations), min + 0.5) << "P=" << p;
  }
}

// The best plan without transfers would pay for a transfer in every microbatch, as 1F1B does.
TEST(VControlled, TransfersDoNotGrowVHalfsBubbleWithTheMicrobatches) {
  const SlotDurations durations{1, 1, 1, 0, 0.3};
  EXPECT_NEAR(bubble(SkeletonKind::VHalf, 8, 64, durations), bubble(SkeletonKind::VHalf, 8, 32, durations),
              1e-9);
}

TEST(VControlled, NoTimesAtAllStillMakeASchedule) {
  EXPECT_EQ(bubble(SkeletonKind::VHalf, 4, 8, {0, 0, 0, 0, 0}), 0);
  EXPECT_EQ(bubble(SkeletonKind::VMin, 4, 8, {0, 0, 0, 0, 0}), 0);
}

RC_GTEST_PROP(VControlledProperty, RunsWithinItsMemoryWhateverIsExpected, ()) {
  const RunShape shape = any_shape(2);
  for (Skeleton skeleton : kControlled) {
    const SlotTimeline timeline = timed_shape(skeleton, shape);
    RC_ASSERT(timeline.incompleteness() == "");
    RC_ASSERT(timeline.deadlock() == "");
    RC_ASSERT(peak(timeline, shape.ranks, 1) <= most_activations(skeleton, shape.ranks));
    RC_ASSERT(peak(timeline, shape.ranks, 0.5) <= most_activations(skeleton, shape.ranks));
  }
}

}  // namespace
}  // namespace spillway::testing
