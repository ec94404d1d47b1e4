// The schedule that a trace follows: each of ours is recognised from its own simulated trace, and a changed
// one is reported with its changes.
#include <gtest/gtest.h>

#include "support/property.h"
#include "traces/pipeline/pipeline.h"
#include "traces/simulated_trace.h"

namespace spillway::testing {
namespace {

ScheduleMatch match_of(const TraceOptions& options) {
  return match_schedule(measured_pipeline(simulated(options)));
}

class EverySchedule : public ::testing::TestWithParam<const char*> {};

TEST_P(EverySchedule, IsTold) {
  for (const auto& [ranks, microbatches] : {std::pair{2U, 8U}, {4U, 8U}, {4U, 12U}}) {
    TraceOptions options{.schedule = GetParam(), .ranks = ranks, .microbatches = microbatches};
    options.offsets = {milliseconds(3), milliseconds(-40), milliseconds(7), {}};
    const ScheduleMatch match = match_of(options);
    EXPECT_EQ(match.schedule, GetParam())
        << ranks << " ranks, " << microbatches << " microbatches; nearest " << match.nearest
        << (match.differences.empty() ? "" : to_string(match.differences[0]));
    EXPECT_EQ(match.microbatch_group, 0U);
    EXPECT_TRUE(match.differences.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(ScheduleMatch, EverySchedule,
                         ::testing::Values("1f1b", "gpipe", "1f1b,1f1b", "1f1b,1f1b,1f1b", "gpipe,gpipe",
                                           "zb-h1", "zb-h2", "zb-v", "v-half", "v-min", "wave(1)", "wave(2)",
                                           "dualpipev"));

// The plan is made for equal times, and run with them. (zb-1p equals zb-h1 then.)
TEST(ScheduleMatch, TellsAPlanMadeForTheMeasuredTimes) {
  TraceOptions options{.schedule = "zb-2p", .ranks = 4, .microbatches = 12, .spread = 0};
  options.with_transfers = false;
  EXPECT_EQ(match_of(options).schedule, "zb-2p");
}

TEST(ScheduleMatch, TellsTheGroupOfInterleaving) {
  const ScheduleMatch match = match_of({.schedule = "1f1b,1f1b", .ranks = 3, .microbatches = 12, .group = 6});
  EXPECT_EQ(match.schedule, "1f1b,1f1b");
  EXPECT_EQ(match.microbatch_group, 6U);
}

TEST(ScheduleMatch, TheSimplerNameOfTwo) {
  EXPECT_EQ(match_of({.schedule = "gpipe", .microbatches = 1}).schedule, "1f1b");
}

// On the last rank the first backward waits for the second forward.
TEST(ScheduleMatch, SaysWhichSlotsDiffer) {
  MeasuredPipeline pipeline = measured_pipeline(simulated({}));
  std::swap(pipeline.placement.orders[3][1], pipeline.placement.orders[3][2]);
  const ScheduleMatch match = match_schedule(pipeline);
  EXPECT_EQ(match.schedule, "listed");
  EXPECT_EQ(match.nearest, "1f1b");
  ASSERT_EQ(match.differences.size(), 3U);
  EXPECT_EQ(to_string(match.differences[0]), "differs: rank 3 slot 1: 1f1b expects 3B0, the trace has 3F1");
  EXPECT_EQ(to_string(match.differences[1]), "differs: rank 3 slot 2: 1f1b expects 3F1, the trace has 3B0");
  EXPECT_EQ(to_string(match.differences[2]), "differs: 2 of 64 slots not as in 1f1b");
}

// One more forward in the warm-up of every rank but the last shifts all later slots; 1F1B is still the
// nearest.
TEST(ScheduleMatch, OneMoreForwardAheadIsNear) {
  MeasuredPipeline pipeline = measured_pipeline(simulated({.microbatches = 16}));
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    RankOrder& order = pipeline.placement.orders[rank];
    const auto is_backward = [](const Slot& slot) { return slot.action == Action::Backward; };
    auto backward = std::find_if(order.begin(), order.end(), is_backward);
    for (; backward + 1 != order.end() && !is_backward(*(backward + 1)); backward += 2)
      std::swap(*backward, *(backward + 1));
  }
  const ScheduleMatch match = match_schedule(pipeline);
  EXPECT_EQ(match.schedule, "listed");
  EXPECT_EQ(match.nearest, "1f1b");
  EXPECT_EQ(match.differences.size(), 9U);
}

TEST(ScheduleMatch, NoKnownScheduleHasThisPlacement) {
  MeasuredPipeline pipeline = measured_pipeline(simulated({.ranks = 2}));
  std::swap(pipeline.placement.stage_rank[0], pipeline.placement.stage_rank[1]);
  const ScheduleMatch match = match_schedule(pipeline);
  EXPECT_EQ(match.schedule, "listed");
  EXPECT_EQ(match.nearest, "");
  ASSERT_EQ(match.differences.size(), 1U);
  EXPECT_EQ(match.differences[0].text,
            "placement of no known schedule at this size: rank 0 has 1, rank 1 has 0");
}

RC_GTEST_PROP(ScheduleMatch, WhatIsToldHasTheTracesOrder, ()) {
  const MeasuredPipeline pipeline = [] {
    TraceOptions options;
    options.schedule =
        *rc::gen::elementOf(std::vector<std::string>{"1f1b", "gpipe", "zb-h1", "zb-h2", "1f1b,1f1b"});
    options.ranks = *rc::gen::inRange(1U, 6U);
    options.microbatches = options.ranks * *rc::gen::inRange(1U, 5U);
    return measured_pipeline(simulated(options));
  }();
  const ScheduleMatch match = match_schedule(pipeline);
  const Schedule told = schedule(match.schedule);
  const auto chunks = static_cast<std::uint32_t>(told.skeletons.size());
  RC_ASSERT(rank_orders(told.skeletons[0], {pipeline.ranks, pipeline.microbatches, chunks, pipeline.ranks}) ==
            pipeline.placement.orders);
}

}  // namespace
}  // namespace spillway::testing
