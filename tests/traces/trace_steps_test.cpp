#include <gtest/gtest.h>

#include "measured_files.h"
#include "traces/events/trace.h"
#include "traces/events/trace_summary.h"

namespace spillway {
namespace {

using testing::refusals;
using Lines = std::vector<std::string>;

TraceEvent forward_in(std::uint32_t step, double start, double duration, std::uint16_t replica = 0,
                      std::uint16_t rank = 0) {
  return {Seconds(start), Seconds(duration), step, 1, 0, replica, rank, rank, 0, TraceKind::Forward};
}

Trace sample(const Lines& steps) {
  Trace trace;
  trace.steps = steps;
  for (std::uint32_t i = 0; i < steps.size(); ++i) trace.events.push_back(forward_in(i, i, 1 + i));
  return trace;
}

TEST(TraceSteps, AreOrderedByNumberAndThenByText) {
  Trace trace = sample({"10", "b", "9", "", "010", "a"});
  order_steps(trace);
  EXPECT_EQ(trace.steps, (Lines{"9", "010", "10", "", "a", "b"}));
  EXPECT_EQ(trace.events[0].step, 2u);
  EXPECT_EQ(trace.events[2].step, 0u);
  EXPECT_EQ(trace.events[5].step, 4u);
}

TEST(TraceSteps, SomeCanBeKept) {
  Trace trace = sample({"1", "2", "3", "4"});
  keep_steps(trace, {"4", "2", "4"});
  EXPECT_EQ(trace.steps, (Lines{"2", "4"}));
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[1].step, 1u);
  EXPECT_EQ(trace.events[1].duration, Seconds(4));
  EXPECT_EQ(to_string(trace.notes.back()), "dropped: 2 steps not asked for");
}

TEST(TraceSteps, UnknownOnesAreRefusedTogether) {
  Trace trace = sample({"1", "2"});
  EXPECT_EQ(
      refusals([&] {
        keep_steps(trace, {"2", "5", "x"});
      }),
      (Lines{"--step: expected one of 1, 2, found \"5\"", "--step: expected one of 1, 2, found \"x\""}));
  EXPECT_EQ(trace.events.size(), 2u);
}

TEST(TraceSummary, CountsAndSpans) {
  Trace trace = sample({"1", "2"});
  trace.events.push_back(forward_in(1, 1.5, 5, 2, 1));
  trace.events.back().microbatch = kUnknown;
  const TraceSummary what = summary(trace);
  EXPECT_EQ(what.kinds[0].events, 3u);
  EXPECT_EQ(what.kinds[0].time, Seconds(8));
  EXPECT_EQ(what.replicas, 3u);
  EXPECT_EQ(what.ranks, 2u);
  EXPECT_EQ(what.stages, 2u);
  EXPECT_EQ(what.microbatches, 2u);
  EXPECT_EQ(what.span, Seconds(6.5));
  EXPECT_EQ(what.step_spans, (std::vector<Seconds>{Seconds(1), Seconds(5.5)}));
}

TEST(TraceSummary, NamesTheRanksWithoutEvents) {
  Trace trace = sample({"1"});
  trace.events.push_back(forward_in(0, 0, 1, 2, 1));
  const TraceSummary what = summary(trace);
  EXPECT_EQ(what.silent, 4u);
  EXPECT_EQ(what.silent_first,
            (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {1, 0}, {1, 1}, {2, 0}}));
  trace.events.push_back(forward_in(0, 0, 1, 65535, 65535));
  EXPECT_EQ(summary(trace).silent, (1ull << 32) - 3);
  EXPECT_EQ(summary(trace).silent_first.size(), 8u);
}

}  // namespace
}  // namespace spillway
