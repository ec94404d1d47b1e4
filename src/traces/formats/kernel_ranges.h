// Passes from kernels that each name theirs, as those of CUDA graphs do. Private to src/traces.
//
// A pass is from the first start to the last end of its kernels. Where its name comes back after at least
// half of all other passes have, it is that of the next step.
//
// Example, of F0 F1 B0 B1: in F0 F1 F0 B0 B1 F0 the second F0 is of the first pass, one other having come
// between, and the third is of the next step's.
#pragma once

#include <vector>

#include "traces/events/trace.h"

namespace spillway {

// `kernels`: kind, stage, microbatch, start and duration are read; the rest is the first kernel's.
std::vector<TraceEvent> ranges_of_kernels(std::vector<TraceEvent> kernels);

}  // namespace spillway
