// One step of one replica out of its events: its passes, both sides of its transfers, the order of its ranks.
// Private to src/traces.
#pragma once

#include <cstddef>
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

using StageTransfers = std::vector<std::vector<MeasuredTransfer>>;  // [stage][microbatch], one row per seam

// Both sides of each transfer, found in the events of one step.
//
// A send of microbatch m from stage s belongs to the receive of m in the next stage, of the same direction: a
// forward send and a backward receive that a rank posts together, and that share start and duration for it,
// are two transfers with two other ranks. Where the trace has no numbers on transfers, the k-th side of a
// stage and direction is that of the k-th pass it feeds or is fed by: pipelines send in the order in which
// they compute. Linear but for the sorting of what has no number.
struct StepTransfers {
  StageTransfers activations;
  StageTransfers gradients;
  std::size_t ordered = 0;   // sides without a number, placed by their order
  std::size_t unplaced = 0;  // sides of no seam or microbatch, or not one for each microbatch to be placed by
  std::size_t repeated = 0;  // sides that are there already; the first is kept
};

StepTransfers step_transfers(const StepSlice& slice, const PipelineShape& shape, const StagePasses& passes);

// Each rank's passes by start on its own clock. A forward and a whole backward of which more than half of the
// shorter lies inside the other are one slot, run together.
std::vector<RankOrder> step_order(const StepSlice& slice, const PipelineShape& shape);

// What most steps do, the first of equals, and how many of them do something else. Contract: there is a step.
struct CommonOrder {
  std::vector<RankOrder> orders;
  std::size_t others;
};
CommonOrder common_order(const std::vector<MeasuredStep>& steps);

}  // namespace spillway
