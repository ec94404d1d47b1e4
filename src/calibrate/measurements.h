// Everything in a file or folder that parameters of a platform can be fitted to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/fit_host.h"
#include "traces/samples/overlap.h"
#include "traces/samples/samples.h"

namespace spillway {

// A part that the file does not have is empty.
struct Measurements {
  Samples samples;                      // messages and operators; source and notes are those of all parts
  std::vector<IssuedPass> passes = {};  // of a trace, those that have kernels
  std::optional<OverlapReport> overlap = {};  // of a forward and a backward beside each other
};

// What it is, the content says:
//   a folder of the Ascend profiler   messages, matrix products, passes
//   a trace of PyTorch's profiler     forward and backward beside each other, where ranges are named ...(F),
//                                     ...(B), ...(W); else messages of NCCL's kernels, and passes with
//                                     kernels. A folder of them, a file of each rank: likewise
//   text                              messages or operators (traces/samples/read_samples.h)
// `origin` says where it was read, which no file does: "owner/repository @commit"; it comes before the
// source. `given` says of messages what a text does not. Throws InputError where a file is broken or holds
// none of these.
Measurements read_measurements(const std::string& path, const std::string& origin = "",
                               const TimedGroup& given = {});

}  // namespace spillway
