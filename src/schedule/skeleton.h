// What a skeleton says about the ranks of a run of Sharded regions: in which order each of them takes its
// forwards and backwards. The data dependencies between ranks are derive's business.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/quantity.h"
#include "schedule/schedule.h"

namespace spillway {

// What a rank does in one slot. A backward is whole, or split into the gradient of the stage's input, which
// the stage before it waits for, and the gradients of its weights, which nobody waits for. ForwardBackward
// runs a forward and the whole backward of another microbatch together, each under the other's communication.
enum class Action : std::uint8_t { Forward, Backward, BackwardInput, BackwardWeight, ForwardBackward };

// One slot in a rank's order: chunk c of the run (0 is nearest the input), one microbatch.
struct Slot {
  Action action;
  std::uint32_t chunk;
  MicrobatchId microbatch;
  // Of ForwardBackward alone: what its backward half works on.
  std::uint32_t backward_chunk = 0;
  MicrobatchId backward_microbatch = {};

  friend bool operator==(const Slot&, const Slot&) = default;
};

using RankOrder = std::vector<Slot>;

// What is expected of one microbatch in one stage. The activations count in any one unit.
struct StageExpectation {
  Seconds forward = Seconds(1);
  Seconds input_gradient = Seconds(1);
  Seconds weight_gradient = Seconds(1);
  double activations = 1;                    // held from the forward on
  double weight_gradient_activations = 0.5;  // of them, those that the weight gradient needs
};

// What the automatic skeletons plan with; the others do not look at it.
struct Expectations {
  std::vector<StageExpectation> stages;  // of the run, input first; empty: every stage as by default
  Seconds transfer = {};                 // between neighbouring ranks

  StageExpectation stage(std::uint32_t index) const {
    return stages.empty() ? StageExpectation() : stages[index];
  }
};

// P ranks, M microbatches, v chunks per rank. `group` is Megatron's microbatch_group_size_per_vp_stage: how
// many microbatches pass through one chunk before the next chunk gets its turn; it matters only to woven
// 1F1B.
struct RunShape {
  std::uint32_t ranks;
  std::uint32_t microbatches;
  std::uint32_t chunks;
  std::uint32_t group;
  Expectations expected = {};
};

// Which stage, input first, chunk `chunk` of a rank is.
std::uint32_t stage_of_chunk(Fold fold, std::uint32_t ranks, std::uint32_t chunk, std::uint32_t rank);

// The group a run gets when the user names none: P.
std::uint32_t default_group(std::uint32_t ranks);

// What a skeleton refuses of a shape: what Megatron does of woven 1F1B (groups outside [P, M], a last group
// shorter than P), with a group that would do; what DualPipe's authors do. Pointers are /microbatch_group and
// /pipeline/....
std::vector<Violation> check_shape(Skeleton skeleton, const RunShape& shape);

// The order on each rank: every (chunk, microbatch) of it has one forward and one backward, whole or split.
// Contract: check_shape finds nothing.
std::vector<RankOrder> rank_orders(Skeleton skeleton, const RunShape& shape);

// Does each slot of a rank's order follow from its position alone? Of 1F1B and GPipe it does, woven or not.
bool follows_by_slot(Skeleton skeleton);

// rank_orders(skeleton, shape)[rank][position], no order being held. Contract: follows_by_slot, check_shape
// finds nothing, and position < 2 x microbatches x chunks.
Slot slot_at(Skeleton skeleton, const RunShape& shape, RankId rank, std::uint64_t position);

// The most activations `rank` ever holds under a skeleton's order, in units of its whole slab (all its
// stages, taken as equal) for one microbatch. With split backwards an activation counts whole until the
// weight gradient, which is never less than what is held. With enough microbatches every rank reaches it, but
// for the skeletons that come out of a plan. Contract: a pipelined skeleton, and check_shape finds nothing.
double activation_bound(Skeleton skeleton, const RunShape& shape, RankId rank);

// The skeletons themselves, one file each: by rank where a rank's order follows from its position alone, for
// all ranks together where it comes out of a plan.
RankOrder one_f_one_b(const RunShape& shape, RankId rank);
RankOrder interleaved_one_f_one_b(const RunShape& shape, RankId rank);
RankOrder gpipe(const RunShape& shape, RankId rank);
RankOrder zb_h1(const RunShape& shape, RankId rank);
RankOrder zb_h2(const RunShape& shape, RankId rank);
RankOrder zb_v(const RunShape& shape, RankId rank);
RankOrder dualpipe(const RunShape& shape, RankId rank);
RankOrder dualpipev(const RunShape& shape, RankId rank);
std::vector<RankOrder> wave(const RunShape& shape);
// `limit` microbatches' activations on each rank: P for ZB-1p, 2P for ZB-2p.
std::vector<RankOrder> zb_auto(const RunShape& shape, std::uint32_t limit);
std::vector<RankOrder> v_half(const RunShape& shape);
std::vector<RankOrder> v_min(const RunShape& shape);

}  // namespace spillway
