// What the other files of an Ascend profiler's folders say of what was read and inferred. Private to
// src/traces.
#pragma once

#include <vector>

#include "traces/ascend/ascend_ranks.h"
#include "traces/events/trace.h"

namespace spillway {

// Of each message, whether bytes came into the device (communication.json) where a pass was said to receive
// it, and none where it was not. Adds a note with how many agree, and one with how many do not.
void check_directions(Trace& trace, const std::vector<AscendRank>& ranks);

// The kernels' busy time of each device and step against "Computing" in step_trace_time.csv; agreement is
// within one percent. Adds notes alike.
void check_computing(Trace& trace, const std::vector<AscendRank>& ranks);

}  // namespace spillway
