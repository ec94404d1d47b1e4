// Finds the parts of one step of one replica in its events: passes, both sides of transfers, and the order of
// each rank. Private to src/traces.
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

// The events of one step of one replica, by rank and start. It is a view into Trace::events.
struct StepSlice {
  std::uint32_t step;
  ReplicaId replica;
  std::span<const TraceEvent> events;
};

// Returns the slices by step, then replica. Steps without computing (a checkpoint, an evaluation) are left
// out. Contract: the events are sorted as Trace promises.
std::vector<StepSlice> step_slices(const Trace& trace);

using StagePasses = std::vector<std::vector<MeasuredPasses>>;  // [stage][microbatch]

// Returns every pass once, for the microbatches from 0 to the highest that occurs. If the step is not whole,
// returns the reason: "no backward of microbatch 3 in stage 2", "no pass takes any time". O(n log n).
std::variant<StagePasses, std::string> step_passes(const StepSlice& slice, const PipelineShape& shape);

using StageTransfers = std::vector<std::vector<MeasuredTransfer>>;  // [stage][microbatch], one row per seam

// Both sides of each transfer, found in the events of one step.
//
// A send of microbatch m from stage s matches the receive of m in the next stage of the same direction. A
// rank may post a forward send and a backward receive together, with the same start and duration. These are
// two transfers with two other ranks. If the trace has no numbers on transfers, the k-th side of a stage and
// direction belongs to the k-th pass that it feeds or that feeds it, because pipelines send in the order in
// which they compute. Linear except for the sorting of sides without a number.
struct StepTransfers {
  StageTransfers activations;
  StageTransfers gradients;
  std::size_t ordered = 0;   // sides without a number, matched by their order
  std::size_t unplaced = 0;  // sides without a known seam or microbatch, or not as many as passes
  std::size_t repeated = 0;  // sides that were present already; the first is kept
};

StepTransfers step_transfers(const StepSlice& slice, const PipelineShape& shape, const StagePasses& passes);

// Returns each rank's passes by start on its own clock. A forward and a whole backward are one slot, run
// together, if more than half of the shorter lies inside the other.
std::vector<RankOrder> step_order(const StepSlice& slice, const PipelineShape& shape);

// The order that most steps take (the first of equals), and the number of steps in another order. Contract:
// there is a step.
struct CommonOrder {
  std::vector<RankOrder> orders;
  std::size_t others;
};
CommonOrder common_order(const std::vector<MeasuredStep>& steps);

}  // namespace spillway
