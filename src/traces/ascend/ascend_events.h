// Joins the timelines of Ascend devices into one Trace. Private to src/traces.
#pragma once

#include <string>
#include <vector>

#include "traces/ascend/ascend_timeline.h"
#include "traces/events/trace.h"

namespace spillway {

// Returns the events of every device. Times count from the earliest start. A device with kernels in a
// pipeline also gets its inferred passes and messages. The trace's notes are `notes` and those on what was
// inferred. Contract: some device has an item.
Trace ascend_trace(const std::vector<AscendTimeline>& timelines, AscendNaming naming,
                   std::vector<std::string> files, std::vector<Note> notes);

}  // namespace spillway
