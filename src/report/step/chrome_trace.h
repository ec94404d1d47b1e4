// The timeline of a schedule as a trace for Chrome's about:tracing and Perfetto.
// Format: "Trace Event Format",
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#pragma once

#include <iosfwd>

#include "evaluate/evaluation.h"

namespace spillway {

// A JSON array, times in microseconds, the first draw. Process = replica, thread = rank: one track per rank
// of complete events named as in the paper, which never overlap. Computing is always on the track; a transfer
// is where it occupies its sender (PointToPoint::Blocking). What runs beside the computing (overlapped
// transfers, reductions) hangs below as asynchronous events of the same thread. Events that take no time are
// left out. Microbatch numbers are positions in the step; where these were reordered, sampled_as is the
// number in the draw. An event of a pipelined region has its stage, counted from 0 over these regions, and a
// transfer also to_stage and to_rank.
void write_chrome_trace(std::ostream& out, const ScheduleResult& schedule);

}  // namespace spillway
