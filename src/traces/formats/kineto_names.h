// What the names in a PyTorch profile mean. Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/events/trace.h"

namespace spillway {

// What runs on the device among the categories of events: kernels, copies and fills, also as PyTorch up
// to 1.11 called them.
bool is_device_work(std::string_view category);

// NCCL's and RCCL's kernels (ncclDevKernel_..., ncclKernel_...), NVSHMEM's, and those of DeepEP, whose
// namespace is ep: dispatch, combine and what prepares them.
bool is_communication_kernel(std::string_view name);

inline constexpr std::uint16_t kStageOfItsRank = 0xffff;

// One step of a pipeline schedule that an annotation names.
struct PipelineRange {
  TraceKind kind;
  std::uint16_t stage;  // kStageOfItsRank where the name does not say
  std::uint32_t microbatch;
};

// torch.distributed.pipelining names the ranges of its runtime "PP:" and the action, "PP:2F0", and those of
// the schedules with one stage per rank "PP:F0", or "Forward 0" and "Backward 0". Nothing for all else, such
// as the actions that compute nothing (PP:1UNSHARD) or two things (PP:(0F7;7B3)OVERLAP_F_B).
std::optional<PipelineRange> pipeline_range(std::string_view name);

// "PP:(0F7;7B3)OVERLAP_F_B": a forward and a backward in one range.
bool is_overlapped_range(std::string_view name);

// The N of "ProfilerStep#N".
std::optional<std::uint32_t> profiler_step(std::string_view name);

}  // namespace spillway
