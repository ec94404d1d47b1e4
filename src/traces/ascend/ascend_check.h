// Compares what was read and inferred with the other files of an Ascend profiler's folders. Private to
// src/traces.
#pragma once

#include <vector>

#include "traces/ascend/ascend_ranks.h"
#include "traces/events/trace.h"

namespace spillway {

// Checks the inferred direction of each message. According to communication.json, bytes came into the device
// exactly if a pass received the message. Adds one note with the number of messages that agree, and one with
// the number that do not.
void check_directions(Trace& trace, const std::vector<AscendRank>& ranks);

// Compares the busy time of the kernels of each device and step with "Computing" in step_trace_time.csv.
// Times within one percent agree. Adds notes like check_directions.
void check_computing(Trace& trace, const std::vector<AscendRank>& ranks);

}  // namespace spillway
