// Why what the spill formula says and what the encoder really adds to the step differ, in one line.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// "max spill 0.5 s, exposed encoder 0.75 s: 0.25 s more (why); encoder work on the critical path: ..." Of
// several draws the first, and that is said. No line break; of many ranks the three with the most time are
// named.
std::string explain_spill(const ScheduleResult& schedule);

}  // namespace spillway
