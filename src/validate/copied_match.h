// The schedule of a trace with copies of stages. Private to src/validate.
#pragma once

#include "traces/pipeline/pipeline.h"
#include "validate/copied_steps.h"

namespace spillway {

// "transpose," and the schedule of the stages behind the transposed region; "dualpipe"; else "listed".
ScheduleMatch match_copies(const Trace& trace, const CopiedSteps& steps);

}  // namespace spillway
