// Splits each pass of a device into the time that its kernels fill and the time that it waited for its host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "traces/events/trace.h"

namespace spillway {

// span = kernel_busy + collective + host_gap.
struct PassKernels {
  std::uint32_t step;  // index into Trace::steps
  std::uint16_t replica;
  std::uint16_t rank;
  std::uint16_t stage;
  TraceKind kind;
  std::uint32_t microbatch;
  std::size_t kernels;
  Seconds span;
  Seconds kernel_busy;  // some kernel runs
  Seconds collective;   // no kernel runs, but a collective does
  Seconds host_gap;     // neither runs: the device is idle

  friend bool operator==(const PassKernels&, const PassKernels&) = default;
};

// Returns one entry for each pass on a rank and step that has kernels, in the trace's order. Kernels and
// collectives belong to the pass in which they begin, its start included. Their part after its end is left
// out. Passes that overlap share kernels.
std::vector<PassKernels> pass_kernels(const Trace& trace);

// The mean pass of one kind in one stage on one rank, over microbatches, steps and replicas.
struct MeanPass {
  std::uint16_t rank;
  std::uint16_t stage;
  TraceKind kind;
  std::size_t passes;
  double kernels;
  Seconds span;
  Seconds kernel_busy;
  Seconds collective;
  Seconds host_gap;
};

// Returns the mean passes by rank, stage and kind.
std::vector<MeanPass> mean_passes(const std::vector<PassKernels>& passes);

}  // namespace spillway
