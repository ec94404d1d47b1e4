// The timeline of a schedule as a trace for Perfetto and Chrome's about:tracing.
// Format: "Trace Event Format",
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#pragma once

#include <iosfwd>

#include "evaluate/evaluation.h"

namespace spillway {

// Writes the first draw as a JSON array, one event a line, with times in microseconds. A process is a rank of
// a replica. Its first thread has the rank's computing. The other threads are its links: the transfers that
// it sends, and reductions. There are as many links as communications run at once. On a thread, slices do not
// overlap, and are named as in the paper. Events without duration are left out. Arrows (flows) lead from the
// pass that made the sent data over the transfer to the pass that needs them. Counters show microbatches in
// flight, links in use and, for replica 0 if it was computed, memory.
//
// args has replica and rank, and the microbatch's position in the step. sampled_as is the microbatch's number
// in the draw, if microbatches were reordered. stage counts the stages of pipelined regions from 0. A
// transfer also has to_rank and to_stage.
void write_chrome_trace(std::ostream& out, const ScheduleResult& schedule);

}  // namespace spillway
