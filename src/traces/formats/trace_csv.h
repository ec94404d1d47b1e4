// Our own format of traces. It holds what a pipeline needs, in a table small enough to ship.
//
//   # spillway/trace/1 origin_s=0 format=straggler-analysis
//   # schedule 1f1b
//   # read: compact copy of trace-ST.csv
//   # dropped: 2 rows with a negative duration (first at line 7)
//   step,replica,rank,action,start_us,duration_us,name
//   23,0,0,0F0,848671.7,138679.7,
//   23,0,0,0COLLECTIVE,1975726.5,31.8,grads-reduce-scatter
//
// An action is PyTorch's text: stage, then F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, COLLECTIVE or, of
// ours, OPTIMIZER, then the microbatch if known. Stages count from 0, region by region, input first. A
// transposed region has a stage on each rank, by rank, and each microbatch passes one of them. Under DualPipe
// stage s of the second copy is stage ranks + s. A forward and a backward that run together are two rows with
// the same time. A backward is one row, B, or its two halves I and W. A recomputation belongs to the backward
// that it is for. Both sides of a message last from its start to its arrival, where the writer knows both.
// The line "# schedule NAME" is there if the writer knows the schedule. Starts count from the step's origin.
// The origin is 0 unless a line "# step NAME at SECONDS" states another.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "traces/events/trace.h"

namespace spillway {

inline constexpr std::string_view kTraceCsvMark = "# spillway/trace/1";

// Writes computing, transfers and collectives. Other kinds and streams are left out, and a comment counts
// them. Starts and ends are rounded to 0.1 us, so the order of events stays. A step's origin is its first
// start. Passes and transfers lose their names, and files lose their folders.
void write_trace_csv(std::ostream& out, const Trace& trace);

// Comments become notes. Passes and transfers are named by their kinds. Throws InputError with the lines of
// broken rows, and if the last line has no end: then the file was cut.
Trace read_trace_csv(const std::string& path);

}  // namespace spillway
