// One line that explains why the spill formula differs from the time that the encoder adds to the step.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// Returns "max spill 0.5 s, exposed encoder 0.75 s: 0.25 s more (why); encoder work on the critical path:
// ...", without a line break. Of several draws it describes the first, and says so. It names at most the
// three ranks with the most time.
std::string explain_spill(const ScheduleResult& schedule);

}  // namespace spillway
