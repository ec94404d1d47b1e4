// Reads timed messages from traces of PyTorch's profiler. The args of the kernels of NCCL and RCCL state the
// collective, the number of elements, and the ranks (PyTorch 2.2 and later).
//
// A collective's kernel begins when its own rank is ready and runs until the last rank has arrived. Of the
// files of several ranks, the fastest kernel of each collective therefore contains the least waiting. The
// n-th collective of a group, kind and size on each rank belong together. With the file of one rank alone,
// the fastest of each size is taken.
#pragma once

#include <string>
#include <vector>

#include "traces/samples/samples.h"

namespace spillway {

// Sizes are those of MessageSample: the gathered, or not yet scattered, vector. Messages without a known
// group, or of a kind that is not fitted (broadcasts), are left out and counted in notes. `messages` may be
// empty. `given.neighbours` is the number of consecutive ranks in one node. Without it, all ranks are in one
// node.
Samples read_kineto_messages(const std::vector<std::string>& paths, const TimedGroup& given);

}  // namespace spillway
