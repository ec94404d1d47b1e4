// Timed messages in traces of PyTorch's profiler: NCCL's and RCCL's kernels say in their args which
// collective they are, of how many elements, among whom (PyTorch 2.2 and later).
//
// A kernel of a collective begins when its rank is ready and runs until the last has come: of the files of
// several ranks the fastest kernel of each collective has no waiting in it, or least. The n-th collective of
// a group, kind and size on each rank belong together. With the file of one rank alone the fastest of each
// size is taken.
#pragma once

#include <string>
#include <vector>

#include "traces/samples/samples.h"

namespace spillway {

// Sizes as MessageSample counts them: the gathered, or not yet scattered, vector. Of messages without a known
// group, or of a kind that is not fitted (broadcasts), nothing; notes count them. `messages` may be empty.
// `given.neighbours` says how many ranks in a row lie in one node; without it all are in one.
Samples read_kineto_messages(const std::vector<std::string>& paths, const TimedGroup& given);

}  // namespace spillway
