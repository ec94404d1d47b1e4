// trace_view.json of the Ascend PyTorch profiler, and msprof*.json of msprof, which MindStudio shows: an
// array of complete events, microseconds (also as text), whose processes are named by metadata events.
// Format: https://www.hiascend.com/document, "Timeline and Summary Data: trace_view.json" and "msprof
// (Timeline Report)". Read from that documentation; never seen on real output, and a note says so. Private to
// src/measured.
#pragma once

#include <string>
#include <string_view>

#include "measured/trace/trace.h"

namespace spillway {

// Is it the name of one of the layers that only these files have: "Ascend Hardware", "CANN", ...?
bool is_ascend_layer(std::string_view process_name);

// Tasks of Ascend Hardware as kernels by stream; operators of the communication layer (hcom_...) as
// collectives; ProfilerStep# as annotations. The pieces that a communication is made of, the layers of the
// host, and the profiler's own sums are dropped and counted. The file does not say its rank: 0. Reads the
// file twice, because names may come after what they name.
Trace read_ascend_trace_view(const std::string& path);

}  // namespace spillway
