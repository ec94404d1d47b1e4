// Fits how much longer computing takes while communication runs beside it.
#pragma once

#include <string>

#include "calibrate/fitted.h"
#include "traces/samples/overlap.h"

namespace spillway {

// Fits /accelerator/slowdown_under_communication: the time beside communication over the time alone, less 1,
// over pairs of the same kernel. Kernels are weighted by their time. With four pairs or more, every other one
// is fitted to. The rest is held back, each by itself and all of them in sum. The number is undetermined
// below two pairs, and if computing was not slower.
Fits fit_overlap(const OverlapReport& report, const std::string& source);

}  // namespace spillway
