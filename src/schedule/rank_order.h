// The order in which a rank runs the forwards and backwards of a run of Sharded regions, and the inputs of
// that order. derive adds the data dependencies between ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

// The action of a rank in one slot. A backward is whole or split. The split halves are the gradient of the
// stage's input, which the previous stage waits for, and the gradients of its weights, which no stage waits
// for. ForwardBackward runs a forward and the whole backward of another microbatch together, each under the
// other's communication.
enum class Action : std::uint8_t { Forward, Backward, BackwardInput, BackwardWeight, ForwardBackward };

// One slot in a rank's order: chunk c of the run (0 is nearest the input), one microbatch.
struct Slot {
  Action action;
  std::uint32_t chunk;
  MicrobatchId microbatch;
  // Only for ForwardBackward: chunk and microbatch of its backward half.
  std::uint32_t backward_chunk = 0;
  MicrobatchId backward_microbatch = {};

  friend bool operator==(const Slot&, const Slot&) = default;
};

using RankOrder = std::vector<Slot>;

// Expected times and activations of one microbatch in one stage. Activations may have any one unit.
struct StageExpectation {
  Seconds forward = Seconds(1);
  Seconds input_gradient = Seconds(1);
  Seconds weight_gradient = Seconds(1);
  double activations = 1;                    // held from the forward on
  double weight_gradient_activations = 0.5;  // the part that the weight gradient needs

  friend bool operator==(const StageExpectation&, const StageExpectation&) = default;
};

// The expectations that automatic skeletons plan with; the other skeletons ignore them.
struct Expectations {
  std::vector<StageExpectation> stages;  // of the run, input first; empty: every stage has the defaults
  Seconds transfer = {};                 // between neighbouring ranks

  StageExpectation stage(std::uint32_t index) const {
    return stages.empty() ? StageExpectation() : stages[index];
  }

  friend bool operator==(const Expectations&, const Expectations&) = default;
};

// P ranks, M microbatches, v chunks per rank. `group` is Megatron's microbatch_group_size_per_vp_stage: the
// number of microbatches that pass one chunk before the next chunk's turn. Only interleaved 1F1B uses it.
struct RunShape {
  std::uint32_t ranks;
  std::uint32_t microbatches;
  std::uint32_t chunks;
  std::uint32_t group;
  Expectations expected = {};
};

// A schedule of one pipelined region with its placement: stage s, input first, is on rank stage_rank[s];
// chunk c of a rank is the c-th of its stages, ascending.
struct PlacedOrders {
  std::vector<RankId> stage_rank;
  std::vector<RankOrder> orders;  // by rank

  friend bool operator==(const PlacedOrders&, const PlacedOrders&) = default;
};

}  // namespace spillway
