// Both sides of each transfer, found in the events of one step. Private to src/traces.
//
// A send of microbatch m from stage s belongs to the receive of m in the next stage, of the same direction: a
// forward send and a backward receive that a rank posts together, and that share start and duration for it,
// are two transfers with two other ranks. Where the trace has no numbers on transfers, the k-th side of a
// stage and direction is that of the k-th pass it feeds or is fed by: pipelines send in the order in which
// they compute. Linear but for the sorting of what has no number.
#pragma once

#include <cstddef>
#include <vector>

#include "traces/pipeline/step_passes.h"

namespace spillway {

using StageTransfers = std::vector<std::vector<MeasuredTransfer>>;  // [stage][microbatch], one row per seam

struct StepTransfers {
  StageTransfers activations;
  StageTransfers gradients;
  std::size_t ordered = 0;   // sides without a number, placed by their order
  std::size_t unplaced = 0;  // sides of no seam or microbatch, or not one for each microbatch to be placed by
  std::size_t repeated = 0;  // sides that are there already; the first is kept
};

StepTransfers step_transfers(const StepSlice& slice, const PipelineShape& shape, const StagePasses& passes);

}  // namespace spillway
