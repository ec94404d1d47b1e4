// How much longer computing takes while communication runs beside it.
#pragma once

#include <string>

#include "calibrate/fitted.h"
#include "traces/samples/overlap.h"

namespace spillway {

// /accelerator/slowdown_under_communication: over pairs of the same kernel, the time beside communication
// over the time alone, less 1; long kernels count for what they take. With four pairs or more, every other
// one is fitted to and the rest held back, each by itself and all of them in sum. Undetermined below two
// pairs, and where computing was not slower.
Fits fit_overlap(const OverlapReport& report, const std::string& source);

}  // namespace spillway
