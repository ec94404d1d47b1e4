// Interprets the names in a PyTorch profile. Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/events/trace.h"

namespace spillway {

// Returns true for the categories of work on the device: kernels, copies and fills, also under their names up
// to PyTorch 1.11.
bool is_device_work(std::string_view category);

// Returns true for the kernels of NCCL and RCCL (ncclDevKernel_..., ncclKernel_...), of NVSHMEM, and of
// DeepEP, whose namespace is ep: dispatch, combine and their preparation.
bool is_communication_kernel(std::string_view name);

inline constexpr std::uint16_t kStageOfItsRank = 0xffff;

// One step of a pipeline schedule that an annotation names.
struct PipelineRange {
  TraceKind kind;
  std::uint16_t stage;  // kStageOfItsRank if the name does not say
  std::uint32_t microbatch;
};

// torch.distributed.pipelining names the ranges of its runtime "PP:" and the action: "PP:2F0". Schedules with
// one stage per rank use "PP:F0", or "Forward 0" and "Backward 0". Returns nothing for other names, such as
// actions that compute nothing (PP:1UNSHARD) or two things (PP:(0F7;7B3)OVERLAP_F_B).
std::optional<PipelineRange> pipeline_range(std::string_view name);

// Returns true for a forward and a backward in one range: "PP:(0F7;7B3)OVERLAP_F_B".
bool is_overlapped_range(std::string_view name);

// The N of "ProfilerStep#N".
std::optional<std::uint32_t> profiler_step(std::string_view name);

// Bytes of one element, by PyTorch's name of its type: "BFloat16" is 2.
std::optional<double> element_bytes(std::string_view type);

}  // namespace spillway
