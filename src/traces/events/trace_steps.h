// The steps of a trace: in which order, and which of them.
#pragma once

#include <string>
#include <vector>

#include "traces/events/trace.h"

namespace spillway {

// Orders Trace::steps, numbers by value and before other texts, and renumbers the events' steps. To be called
// before normalise.
void order_steps(Trace& trace);

// Keeps the events of these steps alone, and says so in the notes. Throws InputError, `--step` named, for
// each step that the trace does not have.
void keep_steps(Trace& trace, const std::vector<std::string>& steps);

}  // namespace spillway
