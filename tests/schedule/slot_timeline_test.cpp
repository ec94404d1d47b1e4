// The oracle itself, on orders short enough for timing by hand.
#include "support/slot_timeline.h"

#include <gtest/gtest.h>

namespace spillway::testing {
namespace {

constexpr MicrobatchId kFirst{0}, kSecond{1};

// rank 0  F F . . . . . B B     rank 1  . F . F B B (F = 1, B = 2, transfers 1)
TEST(SlotTimeline, TimesTwoRanksByHand) {
  const RankOrder order{{Action::Forward, 0, kFirst},
                        {Action::Forward, 0, kSecond},
                        {Action::Backward, 0, kFirst},
                        {Action::Backward, 0, kSecond}};
  const SlotTimeline timeline(SkeletonKind::GPipe, {2, 2, 1, 2}, {order, order}, {.transfer = 1});
  EXPECT_EQ(timeline.deadlock(), "");
  EXPECT_EQ(timeline.incompleteness(), "");
  EXPECT_EQ(timeline.rank(1)[0].start, 2);
  EXPECT_EQ(timeline.rank(1)[2].end, 6);
  EXPECT_EQ(timeline.rank(0)[2].start, 7);
  EXPECT_EQ(timeline.makespan(), 11);
  EXPECT_EQ(timeline.longest_span(), 11);
  EXPECT_EQ(timeline.bubble_rate(), 5.0 / 11);
  EXPECT_EQ(timeline.peak_activations(0), 2);
}

TEST(SlotTimeline, SaysWhereADeadlockStands) {
  const RankOrder backward_first{{Action::Backward, 0, kFirst}, {Action::Forward, 0, kFirst}};
  const SlotTimeline timeline(SkeletonKind::GPipe, {1, 1, 1, 1}, {backward_first});
  EXPECT_EQ(timeline.deadlock(), "rank 0 waits before I 0.0 (slot 0 of 2)\n");
}

TEST(SlotTimeline, NamesWhatIsMissing) {
  const SlotTimeline timeline(SkeletonKind::ZbH1, {1, 1, 1, 1},
                              {{{Action::Forward, 0, kFirst}, {Action::BackwardInput, 0, kFirst}}});
  EXPECT_EQ(timeline.incompleteness(), "W 0.0 runs 0 times");
}

TEST(SlotTimeline, ASplitBackwardFreesInTwoSteps) {
  const RankOrder order{{Action::Forward, 0, kFirst},        {Action::BackwardInput, 0, kFirst},
                        {Action::Forward, 0, kSecond},       {Action::BackwardInput, 0, kSecond},
                        {Action::BackwardWeight, 0, kFirst}, {Action::BackwardWeight, 0, kSecond}};
  const SlotTimeline timeline(SkeletonKind::ZbH1, {1, 2, 1, 1}, {order});
  EXPECT_EQ(timeline.peak_activations(0), 1.5);
  EXPECT_EQ(timeline.peak_activations(0, 1), 2);
  EXPECT_EQ(timeline.peak_activations(0, 0), 1);
}

}  // namespace
}  // namespace spillway::testing
