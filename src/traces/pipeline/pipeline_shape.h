// Finds the ranks, stages and replicas of a trace from its computing events. Private to src/traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"
#include "traces/events/trace.h"

namespace spillway {

struct PipelineShape {
  std::uint32_t ranks;
  std::uint32_t stages;
  std::uint32_t replicas;
  std::vector<RankId> stage_rank;          // by stage, input first
  std::vector<std::uint32_t> stage_chunk;  // by stage: its index among its rank's stages, ascending
};

// The first file of the trace, or its format if it has no file. Violations name it.
std::string file_of(const Trace& trace);

// Throws InputError with every reason why the trace is no pipeline: no pass at all; no pass with a microbatch
// number; a rank or stage below the highest (or a neighbour that a transfer names) without forwards or
// without backwards in any step; a stage on two ranks. Linear.
PipelineShape pipeline_shape(const Trace& trace);

}  // namespace spillway
