// The cost model of given durations. Each block states how long one layer takes on one microbatch; every
// transfer takes the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cost/cost_model.h"
#include "workload/workload.h"

namespace spillway {

// Factors on a block's durations for one microbatch; 1 is the full duration.
struct PassFactors {
  double forward;
  double backward;  // of both gradients

  friend bool operator==(const PassFactors&, const PassFactors&) = default;
};

// [step][replica][microbatch]: measured microbatches relative to the profile. A replica whose step was not
// whole may be missing; all others have equally many microbatches.
using MeasuredWork = std::vector<std::vector<std::vector<PassFactors>>>;

// Work in proportion to a microbatch's image patches. If the profile was taken on `profile_patches` patches,
// a microbatch of n takes n / profile_patches of its durations. The extra time of attention within larger
// images is left out.
struct ImageWork {
  std::shared_ptr<const WorkloadSpec> workload;
  std::uint32_t profile_patches;
};

// Per layer and per microbatch. `work` multiplies the durations. If `backward_work` is empty, `work` is the
// size of the microbatch and also multiplies activations and outputs. Otherwise both are measured times.
struct BlockProfile {
  Seconds forward;
  Seconds input_gradient;
  Seconds weight_gradient;
  std::optional<Seconds> fused_forward_backward;    // overlapped; absent: the sum of the three
  std::optional<Bytes> activation;                  // absent: one unit
  std::optional<Bytes> weight_gradient_activation;  // absent: half of `activation`
  std::vector<std::vector<double>> work = {};       // [replica][microbatch]; one list serves all; empty: 1
  std::vector<std::vector<double>> backward_work = {};  // the same for backwards; empty: `work`
  MeasuredWork measured_work = {};  // draws set `work` and `backward_work` from it (draws/given_draws.h)
  std::optional<ImageWork> image_work = {};  // draws set `work` from images (draws/given_draws.h)
  ModelState state = {};                     // of a trained layer; a frozen layer has the parameters alone
  Bytes output = {};  // size of a layer's output, and of its gradient, for a microbatch of work 1
};

struct GivenCosts {
  std::vector<BlockProfile> blocks;       // one per block of the model
  Seconds p2p;                            // every transfer between different ranks
  std::optional<Seconds> reduction = {};  // every reduction and broadcast over more than one; absent: p2p
  std::uint32_t equal_replicas = 1;       // each replica of a `derived` stands for this many equal replicas
};

// Returns true if any block's work is drawn.
bool is_drawn(const GivenCosts& costs);

// In the unit of the activations.
Bytes weight_gradient_activation(const BlockProfile& profile);

// Returns true if every activation that a backward needs is stated in bytes. An activation that is not stated
// counts one unit, not one byte.
bool states_memory(const GivenCosts& costs, const Model& model);

// A layer's weight gradient is charged if the layer is trainable; its input gradient if the layer or any
// layer before it is. In an overlapped event the shorter pass hides in the longer one. fused_forward_backward
// gives the hidden share of the shorter pass; several blocks count by their mean, weighted by time. The share
// exceeds 1 if fused_forward_backward is shorter than the longer pass, but an event never takes negative
// time. Nothing moves as bytes: a transfer is its duration.
class GivenCostModel final : public CostModel {
 public:
  // Views `outline`, which outlives it. Contract: one profile per block; work lists as long as the pipeline
  // asks; no work is left to draw.
  GivenCostModel(std::shared_ptr<const GivenCosts> costs, const Outline& outline);
  GivenCostModel(GivenCosts costs, const Outline& outline);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  void passes(Pass which, StageId stage, ReplicaId replica, std::span<const MicrobatchId> microbatches,
              SecondsApart out) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  Transfer transfer(const Event& event, ReplicaId replica) const override;
  // The bytes that the layer before states as its output.
  MessageSize message(const Event& event, ReplicaId replica) const override;
  Bytes received(const Event& event, ReplicaId replica) const override;
  // Transfers are uniform, and so are computing events of layers without work factors.
  bool uniform(const Event& event) const override;
  // The first stage with as many layers of each block, which compute the same gradients.
  StageId like(StageId stage) const override;
  // Returns true if both events move something or neither does, and both are of a group or neither is.
  bool same_transfers(const Event& a, const Event& b) const override;
  ModelState model_state(StageId stage) const override;
  // Layers with a gradient to compute hold activations; trained layers also hold some for the weight
  // gradient.
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool holds_alike(StageId stage) const override;

 private:
  struct BlockPass;
  bool same_passes(StageId a, StageId b) const;
  BlockPass block_pass(std::size_t block, Pass pass, StageId stage, ReplicaId replica) const;
  bool uniform_on(StageId stage) const;
  bool moves(const Event& event) const;

  std::shared_ptr<const GivenCosts> shared_;
  const GivenCosts& costs_;  // *shared_
  const Outline& outline_;
};

}  // namespace spillway
