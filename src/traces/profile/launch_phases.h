// Tells the work of forwards, backwards and the optimizer apart, by where the host launched it. Private to
// src/traces.
//
// Work is the optimizer's if it was launched inside a range Optimizer.step of its thread. It is a backward's
// if it was launched inside a range of autograd's engine, or by the thread that runs that engine and nothing
// else. Any other launched work is a forward's. A recomputation runs inside the backward and counts there.
//
// Without ranges of the engine, operators that state a forward thread, as those of a backward do, take their
// place. Without an optimizer's range, kernels that only optimizers launch do, after the step's last
// backward.
#pragma once

#include <vector>

#include "traces/profile/inference.h"
#include "traces/profile/process_events.h"

namespace spillway {

// Sets the phase of all work. It stays unknown if nothing shows a backward or an optimizer, and for work
// without a launch. Returns what was found of "backward" and "optimizer", and how. O(n log n).
std::vector<Inferred> set_phases(ProcessEvents& events);

}  // namespace spillway
