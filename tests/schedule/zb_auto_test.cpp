// ZB-1p and ZB-2p against the Zero Bubble paper's table, timed by a clock that is independent of the planner.
#include <gtest/gtest.h>

#include "schedule/skeleton.h"
#include "support/random_expectations.h"
#include "support/slot_timeline.h"

namespace spillway::testing {
namespace {

struct Model {
  std::uint32_t hidden;
  std::uint32_t heads;
};
constexpr Model k1500M{2304, 24}, k6200M{4096, 32};

// Times in ms were profiled on A100s (facts: Zero Bubble, ICLR 2024, tables 3 and 4; P = 8, sequence 1024).
struct PlannedRow {
  Model model;
  std::uint32_t microbatches;
  double forward, input_gradient, weight_gradient, transfer;
  double zb_1p, zb_2p;
};
constexpr PlannedRow kPlannedTable[] = {
    {k1500M, 24, 18.522, 18.086, 9.337, .601, .1585, .0433},
    {k1500M, 32, 18.513, 18.086, 9.331, .626, .1242, .0039},
    {k1500M, 64, 18.546, 18.097, 9.321, .762, .0674, .0026},
    {k6200M, 24, 29.718, 29.444, 19.927, .527, .1323, .0029},
    {k6200M, 32, 29.802, 29.428, 19.530, .577, .1045, .0022},
    {k6200M, 64, 29.935, 29.621, 19.388, .535, .0554, .0010},
};

RunShape shape_of_row(const PlannedRow& row) {
  RunShape shape{8, row.microbatches, 1, 8};
  StageExpectation stage{milliseconds(row.forward), milliseconds(row.input_gradient),
                         milliseconds(row.weight_gradient)};
  stage.activations = 34.0 * row.model.hidden + 5.0 * row.model.heads * 1024;
  stage.weight_gradient_activations = 32.0 * row.model.hidden;
  shape.expected.stages.assign(8, stage);
  shape.expected.transfer = milliseconds(row.transfer);
  return shape;
}

SlotTimeline timed_row(Skeleton skeleton, const PlannedRow& row) {
  const RunShape shape = shape_of_row(row);
  return SlotTimeline(skeleton, shape, rank_orders(skeleton, shape),
                      {row.forward, row.input_gradient, row.weight_gradient, 0, row.transfer});
}

TEST(ZbAuto, BubbleRatesOfTheZeroBubbleTable) {
  for (const PlannedRow& row : kPlannedTable) {
    EXPECT_NEAR(timed_row(SkeletonKind::Zb1p, row).bubble_rate(), row.zb_1p, 0.00005) << row.forward;
    EXPECT_NEAR(timed_row(SkeletonKind::Zb2p, row).bubble_rate(), row.zb_2p, 0.00005) << row.forward;
  }
}

constexpr SkeletonKind kPlanned[] = {SkeletonKind::Zb1p, SkeletonKind::Zb2p};

std::uint32_t limit_of(Skeleton skeleton, const RunShape& shape) {
  return (skeleton.kind == SkeletonKind::Zb1p ? 1 : 2) * shape.ranks;
}

// Returns the order of a rank as the authors print it: f, b (input gradient) and w.
std::string text(const RankOrder& order) {
  std::string text;
  for (const Slot& slot : order) {
    text += slot.action == Action::Forward ? 'f' : slot.action == Action::BackwardInput ? 'b' : 'w';
  }
  return text;
}

// The authors' program prints these orders for four stages, six microbatches, F = B = W = 1, no transfer
// time, memory 1 at a forward, -1/2 at B and at W, under limits of 4 and 8.
TEST(ZbAuto, OrdersOfTheAuthorsProgram) {
  const std::vector<std::string> at_1p{"ffffbwfbwfbwbwbwbw", "fffbfbwfbwfbwbwbww", "ffbfbfbwfbwfbwbwww",
                                       "fbfbfbfbwfbwfbwwww"},
      at_2p{"ffffffbwbwbwbwbwbw", "fffffbfbwbwbwbwbww", "fffbfbfbfbwbwbwwww", "fbfbfbfbfbfbwwwwww"};
  const auto orders_1p = rank_orders(SkeletonKind::Zb1p, {4, 6, 1, 4});
  const auto orders_2p = rank_orders(SkeletonKind::Zb2p, {4, 6, 1, 4});
  for (std::uint32_t r = 0; r < 4; ++r) {
    EXPECT_EQ(text(orders_1p[r]), at_1p[r]);
    EXPECT_EQ(text(orders_2p[r]), at_2p[r]);
  }
}

std::vector<std::string> texts(Skeleton skeleton, double transfer) {
  RunShape shape{4, 6, 1, 4};
  shape.expected.transfer = Seconds(transfer);
  std::vector<std::string> texts;
  for (const RankOrder& order : rank_orders(skeleton, shape)) texts.push_back(text(order));
  return texts;
}

// The same program ran with a transfer time (cost_comm) of half a forward and of a whole one.
TEST(ZbAuto, OrdersOfTheAuthorsProgramWithTransfers) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts(SkeletonKind::Zb1p, 0.5),
            (Texts{"ffffbwfbwfbwbwbwbw", "fffbfbwwfbwfbwbwbw", "ffbfbwfbwwfbwfbwbw", "fbfbwfbwfbwwfbwfbw"}));
  EXPECT_EQ(texts(SkeletonKind::Zb1p, 1),
            (Texts{"ffffbwfbwfbwbwbwbw", "fffbfbwwfbwfbwbwbw", "ffbfbwwfbwfbwfbwbw", "fbfbwwfbwfbwfbwfbw"}));
  EXPECT_EQ(texts(SkeletonKind::Zb2p, 0.5),
            (Texts{"ffffffbwbwbwbwbwbw", "ffffffbwbwbwbwbwbw", "ffffbfbfbwbwbwbwww", "fbfbfbfbfbfbwwwwww"}));
  EXPECT_EQ(texts(SkeletonKind::Zb2p, 1),
            (Texts{"ffffffbwbwbwbwbwbw", "ffffffbwbwbwbwbwbw", "fffffbfbwbwbwbwbww", "fbfbfbfbfbfbwwwwww"}));
}

// Every slot is there once, each kind is in the microbatches' order, and no rank waits for ever.
void expect_valid(Skeleton skeleton, const RunShape& shape, const std::vector<RankOrder>& orders) {
  const SlotTimeline timeline(skeleton, shape, orders);
  ASSERT_EQ(timeline.incompleteness(), "");
  ASSERT_EQ(timeline.deadlock(), "");
}

TEST(ZbAuto, EverySmallShapeIsCompleteAndRuns) {
  for (Skeleton skeleton : kPlanned) {
    for (std::uint32_t p = 1; p <= 8; ++p) {
      for (std::uint32_t m = 1; m <= 20; ++m) {
        const RunShape shape{p, m, 1, p};
        expect_valid(skeleton, shape, rank_orders(skeleton, shape));
      }
    }
  }
}

// Returns the most activations of a stage at once, in units of one microbatch's.
double peak_of(const RankOrder& order, double share) {
  double forwards = 0, input_gradients = 0, weight_gradients = 0, peak = 0;
  for (const Slot& slot : order) {
    if (slot.action == Action::Forward) ++forwards;
    if (slot.action == Action::BackwardInput) ++input_gradients;
    if (slot.action == Action::BackwardWeight) ++weight_gradients;
    peak = std::max(peak, forwards - input_gradients + share * (input_gradients - weight_gradients));
  }
  return peak;
}

RC_GTEST_PROP(ZbAutoProperty, RunsWithinItsLimitWhateverIsExpected, ()) {
  const RunShape shape = any_shape(1);
  for (Skeleton skeleton : kPlanned) {
    const std::vector<RankOrder> orders = rank_orders(skeleton, shape);
    const SlotTimeline timeline(skeleton, shape, orders);
    RC_ASSERT(timeline.incompleteness() == "");
    RC_ASSERT(timeline.deadlock() == "");
    for (std::uint32_t r = 0; r < shape.ranks; ++r) {
      const StageExpectation stage = shape.expected.stage(r);
      const double share =
          stage.activations > 0 ? stage.weight_gradient_activations / stage.activations : 0.5;
      RC_ASSERT(peak_of(orders[r], share) <= limit_of(skeleton, shape) * (1 + 1e-12));
      // The limit also holds if activations are whole until the weight gradient.
      RC_ASSERT(share * peak_of(orders[r], 1) <= limit_of(skeleton, shape) * (1 + 1e-12));
    }
  }
}

// The times of every stage.
struct Times {
  double forward, input_gradient, weight_gradient, transfer;
};

double span(Skeleton skeleton, std::uint32_t p, std::uint32_t m, const Times& times) {
  RunShape shape{p, m, 1, p};
  shape.expected.stages.assign(
      p, {Seconds(times.forward), Seconds(times.input_gradient), Seconds(times.weight_gradient)});
  shape.expected.transfer = Seconds(times.transfer);
  return SlotTimeline(skeleton, shape, rank_orders(skeleton, shape),
                      {times.forward, times.input_gradient, times.weight_gradient, 0, times.transfer})
      .longest_span();
}

// A heuristic does not promise this. It holds for all of these, and would not if a limit or a switch broke.
// ZB-H1 is its closed form, (P-1)(F+I-W), where W is the shortest and M at least 2P.
TEST(ZbAuto, MoreMemoryIsNeverSlowerNorIsOneFOneBEverFaster) {
  for (std::uint32_t p : {1, 2, 4, 7}) {
    for (std::uint32_t m : {1U, 3U, p, 3 * p + 1}) {
      for (double f : {1, 2, 3}) {
        for (double i : {1, 2, 3}) {
          for (double w : {0, 1, 2, 3}) {
            for (double transfer : {0.0, 0.25}) {
              const Times times{f, i, w, transfer};
              const double zb_1p = span(SkeletonKind::Zb1p, p, m, times);
              EXPECT_LE(span(SkeletonKind::Zb2p, p, m, times), zb_1p + 1e-9);
              EXPECT_LE(zb_1p, span(SkeletonKind::OneFOneB, p, m, times) + 1e-9);
              if (transfer > 0 || m < 2 * p || w > std::min(f, i)) continue;
              EXPECT_LE(zb_1p, m * (f + i + w) + (p - 1) * (f + i - w) + 1e-9);
            }
          }
        }
      }
    }
  }
}

// Returns the span under `times` of a plan made for `planned`.
double span_of_plan(Skeleton skeleton, std::uint32_t p, std::uint32_t m, const Times& planned,
                    const Times& times) {
  RunShape shape{p, m, 1, p};
  shape.expected.stages.assign(
      p, {Seconds(planned.forward), Seconds(planned.input_gradient), Seconds(planned.weight_gradient)});
  shape.expected.transfer = Seconds(planned.transfer);
  return SlotTimeline(skeleton, shape, rank_orders(skeleton, shape),
                      {times.forward, times.input_gradient, times.weight_gradient, 0, times.transfer})
      .longest_span();
}

// A heuristic does not promise this either. With transfers of half a forward and of a whole one, a plan that
// knows the transfer time is never slower than one that does not, and often faster.
TEST(ZbAuto, APlanThatKnowsOfTransfersIsNeverSlower) {
  int faster = 0;
  for (const Skeleton skeleton : kPlanned) {
    for (std::uint32_t p : {2, 4, 8}) {
      for (std::uint32_t m : {p, 2 * p, 3 * p + 1}) {
        for (double share : {0.5, 1.0}) {
          const Times times{1, 1, 1, share}, ignorant{1, 1, 1, 0};
          const double knowing = span(skeleton, p, m, times);
          const double unknowing = span_of_plan(skeleton, p, m, ignorant, times);
          EXPECT_LE(knowing, unknowing + 1e-9) << to_string(skeleton) << ' ' << p << ' ' << m << ' ' << share;
          faster += knowing < unknowing - 1e-9;
        }
      }
    }
  }
  EXPECT_GT(faster, 10);
}

// Under a transfer time, the orders made for it take no longer than those made for none.
RC_GTEST_PROP(ZbAutoProperty, KnowingTheTransferTimeIsNeverSlower, ()) {
  RunShape shape{*rc::gen::inRange<std::uint32_t>(1, 9), *rc::gen::inRange<std::uint32_t>(1, 33), 1, 1};
  const auto amount = [] { return *rc::gen::inRange(0, 13) * 0.25; };
  const Times times{amount(), amount(), amount(), amount()};
  shape.expected.stages.assign(
      shape.ranks, {Seconds(times.forward), Seconds(times.input_gradient), Seconds(times.weight_gradient)});
  const SlotDurations run{times.forward, times.input_gradient, times.weight_gradient, 0, times.transfer};
  for (Skeleton skeleton : kPlanned) {
    shape.expected.transfer = Seconds(times.transfer);
    const double known = SlotTimeline(skeleton, shape, rank_orders(skeleton, shape), run).makespan();
    shape.expected.transfer = Seconds();
    RC_ASSERT(known <= SlotTimeline(skeleton, shape, rank_orders(skeleton, shape), run).makespan());
  }
}

// With twice the memory and F = I = W only the fill is left: no rank waits once it has begun.
TEST(ZbAuto, Zb2pHasNoBubbleAtEqualTimes) {
  for (std::uint32_t p = 1; p <= 16; ++p)
    EXPECT_EQ(span(SkeletonKind::Zb2p, p, 4 * p, {1, 1, 1, 0}), 12.0 * p);
}

TEST(ZbAuto, AStageWithoutActivationsIsLimitedAsByDefault) {
  RunShape shape{4, 20, 1, 4};
  const std::vector<RankOrder> usual = rank_orders(SkeletonKind::Zb1p, shape);
  shape.expected.stages.assign(4, {Seconds(1), Seconds(1), Seconds(1), 0, 0});
  EXPECT_EQ(rank_orders(SkeletonKind::Zb1p, shape), usual);
}

TEST(ZbAuto, ALargePipelineIsComplete) {
  const RunShape shape{64, 512, 1, 64};
  for (Skeleton skeleton : kPlanned) expect_valid(skeleton, shape, rank_orders(skeleton, shape));
}

}  // namespace
}  // namespace spillway::testing
