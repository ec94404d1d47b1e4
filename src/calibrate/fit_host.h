// What the host takes to issue an operator, from passes whose device waited for it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/quantity.h"
#include "calibrate/fitted.h"

namespace spillway {

// One forward or backward: from its first kernel's start to its last one's end, how long at least one kernel
// ran, and how many did.
struct IssuedPass {
  Seconds span;
  Seconds busy;
  std::size_t kernels;
};

// /accelerator/host_overhead_us: the span of host-bound passes over their kernels. A pass is host-bound where
// kernels fill less than half of its span, so that the device waits more than it works. With four such passes
// or more every other one is fitted to, in the order given, and the rest held back. Undetermined with fewer
// than two: the device hides the host, or one pass says nothing of its spread. A kernel is taken for one
// operator of the cost model, which the notes say.
Fits fit_host(std::span<const IssuedPass> passes, const std::string& source);

}  // namespace spillway
