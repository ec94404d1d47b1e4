// Steps found in a process whose file numbers none, against the steps that were generated.
#include "traces/formats/pass_repeats.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/numbers.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::number;

TraceEvent pass(TraceKind kind, std::uint32_t stage, std::uint32_t microbatch, std::uint32_t at) {
  TraceEvent event{};
  event.kind = kind;
  event.stage = static_cast<std::uint16_t>(stage);
  event.microbatch = microbatch;
  event.start = Seconds(at);
  return event;
}

// Returns a step of an interleaved pipeline: every microbatch passes every stage of the process once each
// way, in any order.
std::vector<TraceEvent> a_step(std::uint32_t stages, std::uint32_t microbatches) {
  std::vector<TraceEvent> step;
  for (std::uint32_t stage = 0; stage < stages; ++stage)
    for (std::uint32_t m = 0; m < microbatches; ++m)
      for (const TraceKind kind : {TraceKind::Forward, TraceKind::Backward}) {
        const auto at = step.begin() + number(0, static_cast<std::uint32_t>(step.size()));
        step.insert(at, pass(kind, stage, m, 0));
      }
  return step;
}

// A stage, a microbatch and a direction occur once a step; the same microbatch in another stage begins no
// step.
RC_GTEST_PROP(PassRepeats, NumberTheStepsThatWerePlayed, ()) {
  const std::uint32_t steps = number(1, 4), stages = number(1, 3), microbatches = number(1, 4);
  std::vector<TraceEvent> events;
  std::vector<std::uint32_t> played;
  for (std::uint32_t step = 0; step < steps; ++step)
    for (TraceEvent& event : a_step(stages, microbatches)) {
      event.start = Seconds(static_cast<double>(events.size()));
      events.push_back(event);
      played.push_back(step);
    }
  RC_ASSERT(number_repeats(events) == steps);
  for (std::size_t i = 0; i < events.size(); ++i) RC_ASSERT(events[i].step == played[i]);
}

}  // namespace
}  // namespace spillway
