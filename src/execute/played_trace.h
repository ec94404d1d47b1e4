// A played program as a trace, which validate and import read as they read those of other jobs.
#pragma once

#include <cstdint>
#include <vector>

#include "execute/execution.h"
#include "program/program.h"
#include "traces/events/trace.h"

namespace spillway {

// Stages are numbered as a trace numbers them: region by region, input first. Of a transposed region's stages
// each rank has one, and they are numbered by rank. The second copy of a bidirectional region's stage s comes
// behind all first copies. (A program numbers the stages of a fold chunk by chunk and rank by rank.)
std::vector<std::uint16_t> trace_stages(const Program& program);

// Passes from when they began to compute; a fused pass is a forward and a backward at the same time. Both
// ends of a message last from its start to its arrival. Broadcasts and reductions last from their start on
// the rank to their end. Waits, losses, updates and the local ends of seams are left out.
Trace played_trace(const Program& program, const PlayedProgram& execution);

}  // namespace spillway
