// Our own format of traces: as much of one as a pipeline needs, in a table small enough to be shipped.
//
//   # spillway/trace/1 origin_s=0 format=straggler-analysis
//   # read: compact copy of trace-ST.csv
//   # dropped: 2 rows with a negative duration (first at line 7)
//   step,replica,rank,action,start_us,duration_us,name
//   23,0,0,0F0,848671.7,138679.7,
//   23,0,0,0COLLECTIVE,1975726.5,31.8,grads-reduce-scatter
//
// An action is PyTorch's text: stage, F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B or COLLECTIVE, microbatch if
// known. Starts are counted from the step's origin, which is 0 where no line "# step NAME at SECONDS" says
// another.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "traces/events/trace.h"

namespace spillway {

inline constexpr std::string_view kTraceCsvMark = "# spillway/trace/1";

// Computing, transfers and collectives; other kinds and streams are left out, and a comment counts them.
// Times to 0.1 us: starts and ends are rounded, so what followed each other still does. A step's origin is
// its first start. Passes and transfers lose their names; the folders of the files are left out.
void write_trace_csv(std::ostream& out, const Trace& trace);

// Comments become notes. Passes and transfers are named by their kinds. Throws InputError with the lines of
// broken rows.
Trace read_trace_csv(const std::string& path);

}  // namespace spillway
