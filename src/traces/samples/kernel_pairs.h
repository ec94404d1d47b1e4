// Private to src/traces.
#pragma once

#include <vector>

#include "traces/samples/overlap.h"

namespace spillway {

// Computing kernels that stand in the same place of several layers, some of them beside communication for at
// least nine tenths of their time and some for at most one. A place is the range's name, the kernel's name
// and grid, and how many of these the range launched before. Kernels outside ranges, and those so short that
// the file gives them no time, are left out.
std::vector<KernelPair> kernel_pairs(const LaunchedKernels& run);

}  // namespace spillway
