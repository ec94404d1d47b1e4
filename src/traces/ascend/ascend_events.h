// The timelines of Ascend devices as one Trace. Private to src/traces.
#pragma once

#include <string>
#include <vector>

#include "traces/ascend/ascend_timeline.h"
#include "traces/events/trace.h"

namespace spillway {

// Events of every device, on one origin, the earliest start; of those with kernels in a pipeline also the
// inferred passes and messages. `notes` and what was inferred become the trace's. Contract: some device has
// an item.
Trace ascend_trace(const std::vector<AscendTimeline>& timelines, AscendNaming naming,
                   std::vector<std::string> files, std::vector<Note> notes);

}  // namespace spillway
