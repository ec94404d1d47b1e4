// The passes of one step of one replica, and whether all of them are there. Private to src/traces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "traces/pipeline/pipeline.h"
#include "traces/pipeline/pipeline_shape.h"

namespace spillway {

// What the trace holds of it, by rank and start. A view into Trace::events.
struct StepSlice {
  std::uint32_t step;
  ReplicaId replica;
  std::span<const TraceEvent> events;
};

// By step, then replica; those that compute nothing (a checkpoint, an evaluation) left out. Contract: the
// events stand as Trace promises.
std::vector<StepSlice> step_slices(const Trace& trace);

using StagePasses = std::vector<std::vector<MeasuredPasses>>;  // [stage][microbatch]

// Every pass once, of the microbatches from 0 to the highest that occurs; or what keeps the step from being
// whole: "no backward of microbatch 3 in stage 2", "no pass takes any time". O(n log n).
std::variant<StagePasses, std::string> step_passes(const StepSlice& slice, const PipelineShape& shape);

}  // namespace spillway
