// 1f1b-overlap against its text, 1F1B's order, the closed form and what Megatron-LM refuses.
#include <gtest/gtest.h>

#include "support/timed_skeleton.h"

namespace spillway::testing {
namespace {

const Skeleton kOverlap = SkeletonKind::OneFOneBOverlap;

SlotTimeline on_clock(const RunShape& shape, const SlotDurations& durations = {}) {
  return SlotTimeline(kOverlap, shape, rank_orders(kOverlap, shape), durations);
}

template <class Check>
void for_all_shapes(Check check) {
  std::size_t shapes = 0;
  for (std::uint32_t p = 1; p <= 6; ++p)
    for (std::uint32_t m = 1; m <= 14; ++m)
      for (std::uint32_t v = 1; v <= 4; ++v)
        for (std::uint32_t group = 1; group <= m; ++group) {
          const RunShape shape{p, m, v, group};
          if (!check_shape(kOverlap, shape).empty()) continue;
          SCOPED_TRACE("P=" + std::to_string(p) + " M=" + std::to_string(m) + " v=" + std::to_string(v) +
                       " group " + std::to_string(group));
          ++shapes;
          check(shape);
        }
  EXPECT_GT(shapes, 500U);
}

// Megatron-LM's combined_1f1b_schedule_for_no_pipelining: a forward, pairs, a backward.
TEST(OneFOneBOverlap, GoldenOneRank) {
  const auto text = [](std::uint32_t m) { return order_text(rank_orders(kOverlap, {1, m, 1, 1})[0]); };
  EXPECT_EQ(text(1), "F0.0 B0.0");
  EXPECT_EQ(text(4), "F0.0 F0.1&B0.0 F0.2&B0.1 F0.3&B0.2 B0.3");
}

// Megatron-LM's get_pp_rank_microbatches: 2(P-r-1) + (v-1)g + 1 forwards ahead of the pairs.
TEST(OneFOneBOverlap, GoldenTwoRanksTwoChunks) {
  const auto orders = rank_orders(kOverlap, {2, 4, 2, 2});
  EXPECT_EQ(order_text(orders[0]),
            "F0.0 F0.1 F1.0 F1.1 F0.2 F0.3&B1.0 F1.2&B1.1 F1.3&B0.0 B0.1 B1.2 B1.3 B0.2 B0.3");
  EXPECT_EQ(order_text(orders[1]),
            "F0.0 F0.1 F1.0 F1.1&B1.0 F0.2&B1.1 F0.3&B0.0 F1.2&B0.1 F1.3&B1.2 B1.3 B0.2 B0.3");
}

std::vector<Slot> halves(const RankOrder& order, Action action) {
  std::vector<Slot> all;
  for (const Slot& slot : order) {
    const bool both = slot.action == Action::ForwardBackward;
    if (slot.action == action) all.push_back(slot);
    if (both && action == Action::Forward) all.push_back({action, slot.chunk, slot.microbatch});
    if (both && action == Action::Backward)
      all.push_back({action, slot.backward_chunk, slot.backward_microbatch});
  }
  return all;
}

TEST(OneFOneBOverlap, RunsForwardsAndBackwardsIn1F1BsOrder) {
  for_all_shapes([](const RunShape& shape) {
    const auto ours = rank_orders(kOverlap, shape), apart = rank_orders(SkeletonKind::OneFOneB, shape);
    for (std::uint32_t rank = 0; rank < shape.ranks; ++rank)
      for (const Action action : {Action::Forward, Action::Backward})
        ASSERT_EQ(halves(ours[rank], action), halves(apart[rank], action)) << "rank " << rank;
  });
}

TEST(OneFOneBOverlap, RunsEveryMicrobatchOnceWithoutDeadlock) {
  for_all_shapes([](const RunShape& shape) {
    const SlotTimeline timeline = on_clock(shape);
    ASSERT_EQ(timeline.deadlock(), "");
    ASSERT_EQ(timeline.incompleteness(), "");
  });
}

// The last rank runs w forwards and w backwards alone, and pairs between them; the others' bubbles equal
// interleaved 1F1B's.
TEST(OneFOneBOverlap, StepIsItsClosedForm) {
  const SlotDurations overlapped[] = {{1, 1, 1, 3}, {1, 1, 1, 2}, {2, 1, 1, 3}};
  for (std::uint32_t p = 1; p <= 8; ++p)
    for (std::uint32_t v = p == 1 ? 1 : 2; v <= 4; ++v)
      for (const std::uint32_t m : {2 * p, 5 * p})
        for (const SlotDurations& d : overlapped) {
          const double alone = d.forward + d.input_gradient + d.weight_gradient;
          const double ahead = (v - 1.0) * p + 1, pairs = v * m - ahead;
          EXPECT_NEAR(on_clock({p, m, v, p}, d).makespan(), (p - 1 + ahead) * alone + pairs * d.fused, 1e-9)
              << p << ' ' << m << ' ' << v;
        }
}

TEST(OneFOneBOverlap, HoldsItsBoundOneMoreThan1F1B) {
  for_all_shapes([](const RunShape& shape) {
    const SlotTimeline timeline = on_clock(shape);
    for (std::uint32_t rank = 0; rank < shape.ranks; ++rank)
      ASSERT_DOUBLE_EQ(timeline.peak_activations(rank, 1), activation_bound(kOverlap, shape, RankId(rank)));
  });
  const RunShape shape{4, 16, 2, 4};
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(activation_bound(kOverlap, shape, RankId(rank)),
              activation_bound(SkeletonKind::OneFOneB, shape, RankId(rank)) + 0.5);
  EXPECT_EQ(activation_bound(kOverlap, {1, 16, 1, 1}, RankId(0)), 2);
}

std::string overlap_refusal(const RunShape& shape) {
  std::string all;
  for (const Violation& violation : check_shape(kOverlap, shape)) all += to_string(violation);
  return all;
}

TEST(OneFOneBOverlap, RefusesSeveralRanksWithoutChunksAndMegatronsGroups) {
  EXPECT_EQ(overlap_refusal({1, 3, 1, 1}), "");
  EXPECT_EQ(overlap_refusal({4, 8, 2, 4}), "");
  EXPECT_EQ(
      overlap_refusal({4, 8, 1, 4}),
      ": /pipeline/ranks: expected 1 for 1f1b-overlap with one stage on a rank, since pairs of passes in "
      "several ranks need interleaved stages (\"1f1b-overlap,1f1b-overlap\"), found 4");
  EXPECT_NE(overlap_refusal({4, 9, 2, 4}), "") << "a last group of one microbatch";
}

}  // namespace
}  // namespace spillway::testing
