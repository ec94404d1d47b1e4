#include "traces/events/trace_summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spillway {
namespace {

TraceEvent forward(std::uint16_t stage, double duration) {
  return {Seconds(0), Seconds(duration), 0, 0, 0, 0, stage, stage, 0, TraceKind::Forward};
}

Trace one_step(std::vector<TraceEvent> events) {
  Trace trace;
  trace.steps = {"1"};
  trace.names = {"forward"};
  trace.events = std::move(events);
  return trace;
}

TEST(TraceSummary, PercentilesAreTheSmallestWithThatShareAtOrBelow) {
  std::vector<TraceEvent> events;
  for (int i = 20; i >= 1; --i) events.push_back(forward(3, i));
  const TraceSummary what = summary(one_step(std::move(events)));
  ASSERT_EQ(what.passes.size(), 1u);
  const PassDurations& one = what.passes.front();
  EXPECT_EQ(one.stage, 3u);
  EXPECT_EQ(one.passes, 20u);
  EXPECT_EQ(one.percentile(1), Seconds(1));
  EXPECT_EQ(one.percentile(5), Seconds(1));
  EXPECT_EQ(one.percentile(50), Seconds(10));
  EXPECT_EQ(one.percentile(95), Seconds(19));
  EXPECT_EQ(one.percentile(99), Seconds(20));
  EXPECT_EQ(one.most, Seconds(20));
  EXPECT_NEAR(one.mean.value(), 10.5, 1e-12);
  EXPECT_NEAR(one.cv, std::sqrt((20 * 20 - 1) / 12.0) / 10.5, 1e-12);
}

TEST(TraceSummary, StagesAreKeptApartAndTransfersAreNoPasses) {
  TraceEvent send = forward(0, 7);
  send.kind = TraceKind::SendForward;
  const TraceSummary what = summary(one_step({forward(0, 1), send, forward(1, 2)}));
  ASSERT_EQ(what.passes.size(), 2u);
  EXPECT_EQ(what.passes[1].stage, 1u);
  EXPECT_EQ(what.passes[1].cv, 0);
}

}  // namespace
}  // namespace spillway
