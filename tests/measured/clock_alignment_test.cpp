// Ranks' clocks: what was added to them is found again, as far as transfers tell, and good clocks stay.
#include <gtest/gtest.h>

#include <cmath>

#include "measured/pipeline.h"
#include "measured/simulated_trace.h"
#include "support/property.h"

namespace spillway::testing {
namespace {

TraceOptions any_run() {
  TraceOptions options;
  options.schedule = *rc::gen::elementOf(
      std::vector<std::string>{"1f1b", "gpipe", "1f1b,1f1b", "zb-h2", "zb-v", "wave(2)", "dualpipev"});
  options.ranks = *rc::gen::inRange(2U, 6U);
  options.microbatches = options.ranks * *rc::gen::inRange(2U, 4U);
  options.replicas = *rc::gen::inRange(1U, 3U);
  options.point_to_point = *rc::gen::element(PointToPoint::Blocking, PointToPoint::Overlapped);
  options.numbered_transfers = *rc::gen::arbitrary<bool>();
  options.seed = *rc::gen::inRange(1U, 1000U);
  return options;
}

std::vector<Seconds> any_offsets(std::uint32_t ranks) {
  std::vector<Seconds> offsets;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    offsets.push_back(milliseconds(0.001 * *rc::gen::inRange(-50'000, 50'001)));
  return offsets;
}

// Passes alone bound a clock as tightly only where every rank waits for its first input and its last
// gradient.
TraceOptions any_run_without_transfers() {
  TraceOptions options = any_run();
  options.schedule = *rc::gen::elementOf(std::vector<std::string>{"1f1b", "gpipe"});
  options.with_transfers = false;
  return options;
}

// What two transfers of at most 1.1 ms leave open, for every neighbour on the way from rank 0.
Seconds ambiguity(std::uint32_t ranks) {
  return milliseconds(1.1 * ranks);
}

void expect_same_times(const MeasuredStep& a, const MeasuredStep& b, Seconds shift, Seconds tolerance) {
  for (std::size_t stage = 0; stage < a.passes.size(); ++stage) {
    for (std::size_t m = 0; m < a.passes[stage].size(); ++m) {
      const Seconds apart = a.passes[stage][m].forward.start - b.passes[stage][m].forward.start - shift;
      RC_ASSERT(std::abs(apart.value()) <= tolerance.value());
    }
  }
}

RC_GTEST_PROP(ClockAlignment, TakesRandomOffsetsBack, ()) {
  TraceOptions options = *rc::gen::arbitrary<bool>() ? any_run() : any_run_without_transfers();
  const MeasuredPipeline truth = measured_pipeline(simulated(options));
  options.offsets = any_offsets(options.ranks);
  const MeasuredPipeline found = measured_pipeline(simulated(options));
  const Seconds tolerance = ambiguity(options.ranks);
  RC_ASSERT(found.placement == truth.placement);
  for (std::size_t i = 0; i < truth.steps.size(); ++i) {
    expect_same_times(found.steps[i], truth.steps[i], options.offsets[0], tolerance);
    const Seconds longer = found.steps[i].span().length() - truth.steps[i].span().length();
    RC_ASSERT(std::abs(longer.value()) <= tolerance.value());
  }
}

// The seam of every pair, both ways.
RC_GTEST_PROP(ClockAlignment, NothingIsUsedBeforeItIsMade, ()) {
  TraceOptions options = any_run();
  options.schedule = "1f1b";
  options.offsets = any_offsets(options.ranks);
  const MeasuredPipeline found = measured_pipeline(simulated(options));
  const double rounding = 1e-12;
  for (const MeasuredStep& step : found.steps) {
    for (std::size_t s = 0; s + 1 < found.stages; ++s) {
      for (std::size_t m = 0; m < found.microbatches; ++m) {
        const MeasuredPasses &lower = step.passes[s][m], &upper = step.passes[s + 1][m];
        RC_ASSERT(lower.forward.end.value() <= upper.forward.start.value() + rounding);
        RC_ASSERT(upper.backward.end.value() <= lower.backward.start.value() + rounding);
      }
    }
  }
}

RC_GTEST_PROP(ClockAlignment, LeavesGoodClocksAlone, ()) {
  const MeasuredPipeline pipeline = measured_pipeline(simulated(any_run()));
  for (Seconds offset : pipeline.clock) RC_ASSERT(offset == Seconds());
  for (const Note& note : pipeline.notes) RC_ASSERT(note.kind != NoteKind::Corrected);
}

TEST(ClockAlignment, SaysHowFarItMovedAClock) {
  TraceOptions options;
  options.offsets = {Seconds(), Seconds(), milliseconds(5), Seconds()};
  const MeasuredPipeline pipeline = measured_pipeline(simulated(options));
  EXPECT_NEAR(pipeline.clock[2].value(), -5e-3, 0.1e-3);  // transfers both ways take 0.9 to 1.1 ms
  EXPECT_EQ(pipeline.clock[3], Seconds());
  ASSERT_EQ(pipeline.notes.size(), 1U);
  EXPECT_EQ(pipeline.notes[0].kind, NoteKind::Corrected);
  EXPECT_EQ(pipeline.notes[0].count, 1U);
}

// Rank 1's clock jumps by 20 ms between two steps: no constant is right for both.
TEST(ClockAlignment, SaysThatAClockJumped) {
  Trace trace = simulated({.steps = 2});
  for (TraceEvent& event : trace.events)
    if (event.step == 1 && event.rank == 1) event.start += milliseconds(20);
  normalise(trace);
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  const auto broken = std::find_if(pipeline.notes.begin(), pipeline.notes.end(),
                                   [](const Note& note) { return note.kind == NoteKind::Differs; });
  ASSERT_NE(broken, pipeline.notes.end());
  EXPECT_EQ(broken->count, 2U);  // ranks 0 and 1, 1 and 2
}

}  // namespace
}  // namespace spillway::testing
