// A played program as a trace, which validate and import read as they read those of other jobs.
#pragma once

#include "execute/execution.h"
#include "program/program.h"
#include "traces/events/trace.h"

namespace spillway {

// Passes from when they began to compute; a fused pass is a forward and a backward at the same time. Both
// ends of a message last from its start to its arrival. Broadcasts and reductions last from their start on
// the rank to their end. Waits, losses, updates and the local ends of seams are left out.
Trace played_trace(const Program& program, const Execution& execution);

}  // namespace spillway
