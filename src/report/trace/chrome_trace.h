// The timeline of a schedule as a trace for Perfetto and Chrome's about:tracing.
// Format: "Trace Event Format",
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#pragma once

#include <iosfwd>

#include "evaluate/evaluation.h"

namespace spillway {

// A JSON array, one event a line, times in microseconds, the first draw. Process = rank of a replica. Its
// first thread is what it computes, the others are its links: transfers that it sends and reductions, a
// thread more for as many as run at once; on each, slices named as in the paper follow one another. Events
// that take no time are left out. Arrows (flows) lead from the pass that made what is sent over the transfer
// to the pass that needs it. Counters: microbatches in flight, links in use and, of replica 0 where it was
// computed, memory.
//
// args: replica and rank; the microbatch's position in the step and, where microbatches were reordered, its
// number in the draw, sampled_as; the stage of an event of a pipelined region, counted from 0 over these
// regions; of a transfer also to_rank and to_stage.
void write_chrome_trace(std::ostream& out, const ScheduleResult& schedule);

}  // namespace spillway
