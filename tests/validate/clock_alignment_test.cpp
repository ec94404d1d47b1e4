// Clock alignment finds offsets that were added to ranks' clocks, as far as transfers determine them, and
// leaves good clocks alone.
#include <gtest/gtest.h>

#include <cmath>

#include "support/property.h"
#include "traces/pipeline/pipeline.h"
#include "traces/simulated_trace.h"
#include "validate/validation.h"

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
  options.with_collectives = *rc::gen::arbitrary<bool>();
  options.seed = *rc::gen::inRange(1U, 1000U);
  return options;
}

std::vector<Seconds> any_offsets(std::uint32_t ranks) {
  std::vector<Seconds> offsets;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    offsets.push_back(milliseconds(0.001 * *rc::gen::inRange(-50'000, 50'001)));
  return offsets;
}

// Without transfers, passes bound a clock as tightly only where every rank waits for its first input and its
// last gradient.
TraceOptions any_run_without_transfers() {
  TraceOptions options = any_run();
  options.schedule = *rc::gen::elementOf(std::vector<std::string>{"1f1b", "gpipe"});
  options.with_transfers = false;
  return options;
}

// Returns the largest error of a clock: a transfer, at most 1.1 ms, for each rank on the way from rank 0.
Seconds ambiguity(std::uint32_t ranks) {
  return milliseconds(1.1 * ranks);
}

void add(std::vector<Interval>& all, const std::optional<Interval>& interval) {
  if (interval) all.push_back(*interval);
}

// Returns all intervals of a step, kind by kind.
std::vector<Interval> intervals_of(const MeasuredStep& step) {
  std::vector<Interval> all;
  for (const auto& stage : step.passes) {
    for (const MeasuredPasses& passes : stage) {
      all.push_back(passes.forward);
      all.push_back(passes.backward);
      add(all, passes.weight);
    }
  }
  for (const auto* transfers : {&step.activations, &step.gradients}) {
    for (const auto& seam : *transfers) {
      for (const MeasuredTransfer& transfer : seam) {
        add(all, transfer.sent);
        add(all, transfer.received);
      }
    }
  }
  for (const auto& rank : step.collectives) all.insert(all.end(), rank.begin(), rank.end());
  return all;
}

void expect_same_times(const MeasuredStep& a, const MeasuredStep& b, Seconds shift, Seconds tolerance) {
  const std::vector<Interval> of_a = intervals_of(a), of_b = intervals_of(b);
  RC_ASSERT(of_a.size() == of_b.size());
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    RC_ASSERT(std::abs((of_a[i].start - of_b[i].start - shift).value()) <= tolerance.value());
    RC_ASSERT(std::abs((of_a[i].end - of_b[i].end - shift).value()) <= tolerance.value());
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

// Returns offsets so far from rank 0's that no other clock counts as good.
std::vector<Seconds> large_offsets(std::uint32_t ranks) {
  std::vector<Seconds> offsets = {milliseconds(0.001 * *rc::gen::inRange(-50'000, 50'001))};
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    const Seconds apart = milliseconds(0.001 * *rc::gen::inRange(20'000, 60'000));
    offsets.push_back(*rc::gen::arbitrary<bool>() ? offsets[0] + apart : offsets[0] - apart);
  }
  return offsets;
}

// Returns the measured span and that of every replay.
std::vector<Seconds> spans_in(const ValidatedStep& step) {
  return {step.measured,   step.replayed,          step.constant_transfer,
          step.means_only, step.means_per_replica, step.other_mode};
}

// A constant added to all times of a rank changes only the rank's clock.
RC_GTEST_PROP(ClockAlignment, AnyConstantChangesNothing, ()) {
  TraceOptions options = any_run();
  std::vector<Validation> validations;
  std::vector<MeasuredPipeline> pipelines;
  std::vector<Seconds> clocks;  // rank 0's, which is not moved
  for (int i = 0; i < 2; ++i) {
    options.offsets = large_offsets(options.ranks);
    const Trace trace = simulated(options);
    pipelines.push_back(measured_pipeline(trace));
    validations.push_back(validate_trace(trace, pipelines.back(), {options.schedule, 0, "", {}}));
    clocks.push_back(options.offsets[0]);
  }
  const Seconds rounding(1e-9);
  for (std::size_t i = 0; i < pipelines[0].steps.size(); ++i) {
    expect_same_times(pipelines[0].steps[i], pipelines[1].steps[i], clocks[0] - clocks[1], rounding);
    const auto one = spans_in(validations[0].cases[i]), other = spans_in(validations[1].cases[i]);
    for (std::size_t span = 0; span < one.size(); ++span)
      RC_ASSERT(std::abs((one[span] - other[span]).value()) <= rounding.value());
  }
}

// No constant corrects jitter. With interleaved stages ranks form a ring and are reached from both sides.
RC_GTEST_PROP(ClockAlignment, JitterIsPutRightToWithinItselfAndATransfer, ()) {
  TraceOptions options = any_run();
  options.schedule = *rc::gen::element<std::string>("1f1b", "1f1b,1f1b");
  options.numbered_transfers = true;
  options.jitter = milliseconds(*rc::gen::inRange(2, 6));
  options.offsets = large_offsets(options.ranks);
  const MeasuredPipeline found = measured_pipeline(simulated(options));
  const Seconds tolerance = options.jitter + 1.1 * options.transfer;
  for (std::uint32_t rank = 0; rank + 1 < options.ranks; ++rank) {
    const Seconds apart = found.clock[rank + 1] - found.clock[rank];
    const Seconds truly = options.offsets[rank] - options.offsets[rank + 1];
    RC_ASSERT(std::abs((apart - truly).value()) <= tolerance.value());
  }
}

// Checks activations and gradients between every pair of neighbouring stages.
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

// Rank 1's clock jumps by 20 ms between two steps, so no constant is right for both.
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
