// Megatron's timers as rows of measured passes.
#pragma once

#include "traces/logs/step_log.h"
#include "twin/trace_rows.h"

namespace spillway {

// A timer adds up all microbatches of a step: each takes an equal part of forward-compute and of
// backward-compute. The timer optimizer is the optimizer's. All are means over the steady steps.
//
// Times of every rank are read in Megatron's order, pipeline ranks outermost; each device of a rank is a
// repeat. Other logs have one rank (TraceChoice::ranks). With one pipeline rank the fastest and the slowest
// device are two repeats. Where images are drawn, times are means over microbatches.
//
// Throws InputError unless every pass of a rank is known: no such timers, times of 0, several stages on a
// rank, the fastest and slowest rank of several stages, another batch or number of ranks than the
// experiment's, chosen steps.
TraceRows log_rows(const StepLog& log, const Experiment& experiment, const TraceChoice& choice);

}  // namespace spillway
