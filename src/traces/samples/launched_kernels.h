// What a device ran, each kernel with the named range that its host launched it in: a second look at a
// PyTorch trace for what the order of events does not say, namely which pass a kernel belongs to.
//
// The profiler links a kernel to its launch by `correlation`; a launch lies in the user_annotation ranges
// that are open at its time, on whichever thread (a backward's kernels are launched by autograd's own).
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
  std::optional<Seconds> launch;  // on the host
  std::uint32_t name;             // index into LaunchedKernels::names
  std::uint32_t range;  // index into LaunchedKernels::ranges, the innermost; kUnknown where it is in none
  std::array<std::uint32_t, 3> grid;  // of its blocks; zeros for copies
  std::uint16_t stream;
  bool communication;  // by its name: NCCL's or DeepEP's
};

// On the host.
struct AnnotatedRange {
  std::string name;
  Seconds start;
  Seconds end;
};

struct LaunchedKernels {
  std::string file;
  std::string device;  // as the file names it; may be empty
  std::vector<std::string> names;
  std::vector<AnnotatedRange> ranges;   // by start
  std::vector<LaunchedKernel> kernels;  // by launch, those without one first
  std::vector<Note> notes;
};

// Times are from the first event's. Memory is what is kept, whatever the file's size. Throws InputError where
// the file is no JSON of trace events (the offset named) or has no kernel.
LaunchedKernels read_launched_kernels(const std::string& path);

}  // namespace spillway
