#include "twin/whole_steps.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace spillway::testing {
namespace {

// Steps of two microbatches in two stages; the first one has no backward.
Trace whole_trace(std::uint32_t steps) {
  Trace trace;
  trace.format = "test";
  trace.files = {"trace.csv"};
  trace.names = {""};
  const auto add = [&](std::uint32_t step, std::uint16_t stage, std::uint32_t microbatch, TraceKind kind) {
    trace.events.push_back({Seconds(), Seconds(1), step, microbatch, 0, 0, stage, stage, 0, kind});
  };
  for (std::uint32_t step = 0; step < steps; ++step) {
    trace.steps.push_back(std::to_string(10 + step));
    for (std::uint32_t microbatch = 0; microbatch < 2; ++microbatch) {
      add(step, 0, microbatch, TraceKind::Forward);
      add(step, 1, microbatch, TraceKind::Forward);
      add(step, 1, microbatch, TraceKind::Backward);
    }
  }
  return trace;
}

std::string refusal_of(const Trace& trace) {
  try {
    require_whole_steps(trace);
  } catch (const InputError& error) {
    const Violation& first = error.violations().front();
    return first.pointer + ": " + first.expected + ", " + first.found;
  }
  return "";
}

TEST(WholeSteps, AreTaken) {
  EXPECT_EQ(refusal_of(whole_trace(1)), "");
  EXPECT_EQ(refusal_of(whole_trace(3)), "");
}

TEST(WholeSteps, LackNoPassThatAnotherStepHas) {
  Trace trace = whole_trace(2);
  trace.events.erase(trace.events.begin() + 6, trace.events.end() - 3);
  EXPECT_EQ(refusal_of(trace),
            "step 11: the forward of microbatch 0 in stage 0, none; 3 of 12 passes are missing, as in a file "
            "that was cut; --step chooses whole steps");
}

TEST(WholeSteps, LackNoBackwardThatOtherMicrobatchesHave) {
  Trace trace = whole_trace(1);
  trace.events.pop_back();
  EXPECT_EQ(refusal_of(trace).substr(0, 51), "step 10: the backward of microbatch 1 in stage 1, n");
}

TEST(WholeSteps, SayWhatMayBeAmongEventsWithoutTimes) {
  Trace trace = whole_trace(1);
  trace.events.pop_back();
  trace.notes = {{NoteKind::Dropped, 1, "rows with a negative duration (first at line 7)"}};
  EXPECT_EQ(
      require_whole_steps(trace).value_or(""),
      "1 of 6 passes are missing, the first is the backward of microbatch 1 in stage 1 in step 10; 1 event "
      "of the file had no usable times, so each pass takes the mean of those that are there");
  trace.events.erase(trace.events.begin() + 1);
  EXPECT_NE(refusal_of(trace), "");
  EXPECT_EQ(require_whole_steps(whole_trace(2)), std::nullopt);
}

TEST(WholeSteps, LackNoPassBecauseOtherEventsWereLeftOut) {
  Trace trace = whole_trace(1);
  trace.events.pop_back();
  trace.notes = {{NoteKind::Dropped, 5012, "events without computing or transfers"},
                 {NoteKind::Dropped, 3, "steps not asked for"}};
  EXPECT_NE(refusal_of(trace), "");
}

TEST(WholeSteps, MayHavePassesWithoutNumbers) {
  Trace trace = whole_trace(2);
  trace.events.back().microbatch = kUnknown;
  trace.events[5].microbatch = kUnknown;
  trace.events[2].microbatch = trace.events[8].microbatch = kUnknown;
  EXPECT_EQ(refusal_of(trace), "");
}

}  // namespace
}  // namespace spillway::testing
