// The traces that `spillway run --out` writes (src/report/step/chrome_trace.h), so that a run can be held
// against itself. Private to src/measured.
#pragma once

#include <string>
#include <string_view>

#include "measured/trace/trace.h"

namespace spillway {

// "Fwd(llm,3,1)", "Coll(Send,llm:3-4,1)", ...
bool is_own_name(std::string_view name);

// Passes and transfers of the pipelined regions, whose events carry "stage" in their args; one transfer
// becomes a send and a receive with the same times. Reductions are collectives. What a transposed region
// does, and overlapped forwards and backwards, are dropped and counted. One step.
Trace read_own_trace(const std::string& path);

}  // namespace spillway
