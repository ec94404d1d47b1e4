// Reads everything in a file or folder to which parameters of a platform can be fitted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/fit_host.h"
#include "traces/samples/overlap.h"
#include "traces/samples/samples.h"

namespace spillway {

// A part that the file lacks is empty.
struct Measurements {
  Samples samples;                      // messages and operators; source and notes are those of all parts
  std::vector<IssuedPass> passes = {};  // of a trace: those that have kernels
  std::optional<OverlapReport> overlap = {};  // of a forward and a backward beside each other
};

// The content decides what is read:
//   a folder of the Ascend profiler   messages, matrix products, passes
//   a trace of PyTorch's profiler     forward and backward beside each other, if ranges are named ...(F),
//                                     ...(B), ...(W); otherwise messages of NCCL's kernels, and passes with
//                                     kernels. A folder with a file of each rank: likewise
//   text                              messages or operators (traces/samples/read_samples.h)
// `origin` says where it was read, such as "owner/repository @commit", because no file does. It comes before
// the source. `given` supplies what a text does not state about messages. Throws InputError if a file is
// broken or holds none of these.
Measurements read_measurements(const std::string& path, const std::string& origin = "",
                               const TimedGroup& given = {});

}  // namespace spillway
