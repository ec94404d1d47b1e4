// Fits the time that the host takes to issue an operator, from passes whose device waited for it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/quantity.h"
#include "calibrate/fitted.h"

namespace spillway {

// One forward or backward: the span from its first kernel's start to its last one's end, the time in which at
// least one kernel ran, and the number of kernels.
struct IssuedPass {
  Seconds span;
  Seconds busy;
  std::size_t kernels;
};

// Fits /accelerator/host_overhead_us: the span of host-bound passes over their kernels. A pass is host-bound
// if kernels fill less than half of its span, so that the device waits more than it works. With four or more
// such passes, every other one in the given order is fitted to and the rest is held back. The number is
// undetermined below two passes: either the device hides the host, or one pass shows no spread. Each kernel
// counts as one operator of the cost model, as the notes say.
Fits fit_host(std::span<const IssuedPass> passes, const std::string& source);

}  // namespace spillway
