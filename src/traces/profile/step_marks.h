// Finds the training steps of one process. Private to src/traces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traces/profile/inference.h"
#include "traces/profile/process_events.h"

namespace spillway {

// A step, from its beginning on the host to the next step's.
struct StepMark {
  std::string name;
  Seconds start;
  std::optional<Seconds> length;  // of the range that marks it; empty if an optimizer ends it
};

struct StepMarks {
  std::vector<StepMark> steps;  // ascending in time; empty if nothing marks a step
  Inferred inference;
};

// Tries, in this order: ProfilerStep#N; ranges that number a step or an iteration, two at least; ranges of an
// optimizer's step, each of which ends a step; kernels of an optimizer, likewise. The last step may be cut
// short. Throws InputError with `file` if a step with a higher number begins before one with a lower: then
// the clock ran backwards. Contract: set_phases() was called.
StepMarks step_marks(const ProcessEvents& events, const std::string& file);

}  // namespace spillway
