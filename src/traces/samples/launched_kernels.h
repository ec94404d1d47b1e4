// Reads the kernels that a device ran, each with the named range in which its host launched it. This second
// reading of a PyTorch trace finds the pass of each kernel, which the order of events does not show.
//
// The profiler links a kernel to its launch by `correlation`. A launch lies in the user_annotation ranges
// that are open at its time on any thread, because autograd's own thread launches a backward's kernels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "traces/files/note.h"

namespace spillway {

struct LaunchedKernel {
  Seconds start;  // on the device
  Seconds end;
  std::optional<Seconds> launch;      // on the host
  std::uint32_t name;                 // index into LaunchedKernels::names
  std::uint32_t range;                // index into LaunchedKernels::ranges, the innermost; kUnknown if none
  std::array<std::uint32_t, 3> grid;  // of its blocks; zeros for copies
  std::uint16_t stream;
  bool communication;  // according to its name: NCCL's or DeepEP's
};

// A named range on the host.
struct AnnotatedRange {
  std::string name;
  Seconds start;
  Seconds end;
};

struct LaunchedKernels {
  std::string file;
  std::string device;  // its name in the file; may be empty
  std::vector<std::string> names;
  std::vector<AnnotatedRange> ranges;   // by start
  std::vector<LaunchedKernel> kernels;  // by launch; those without a launch come first
  std::vector<Note> notes;
};

// Times count from the first event. Memory grows with what is kept, not with the file. Throws InputError if
// the file is no JSON of trace events (the error names the offset) or has no kernel.
LaunchedKernels read_launched_kernels(const std::string& path);

}  // namespace spillway
