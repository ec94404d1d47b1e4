// The cost model of given durations: each block says how long one layer takes on one microbatch, and every
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

// What a microbatch takes of a block's durations; 1 is all of them.
struct PassFactors {
  double forward;
  double backward;  // of both gradients

  friend bool operator==(const PassFactors&, const PassFactors&) = default;
};

// [step][replica][microbatch]: how measured microbatches compare with the profile. A replica whose step was
// not whole may be missing; all others have equally many microbatches.
using MeasuredWork = std::vector<std::vector<std::vector<PassFactors>>>;

// Work in proportion to a microbatch's image patches: a profile of `profile_patches` of them takes n /
// profile_patches of its durations on a microbatch of n. What attention within an image adds is left out.
struct ImageWork {
  std::shared_ptr<const WorkloadSpec> workload;
  std::uint32_t profile_patches;
};

// Per layer and per microbatch; `work` multiplies the durations and, unless backwards have factors of their
// own, which are measured times then, the activations and outputs: it is the microbatch's size.
struct BlockProfile {
  Seconds forward;
  Seconds input_gradient;
  Seconds weight_gradient;
  std::optional<Seconds> fused_forward_backward;        // overlapped; absent: the sum of the three
  std::optional<Bytes> activation;                      // absent: one unit
  std::optional<Bytes> weight_gradient_activation;      // absent: half of `activation`
  std::vector<std::vector<double>> work = {};           // [replica][microbatch]; one list serves all; none: 1
  std::vector<std::vector<double>> backward_work = {};  // the same, of backwards; none: `work`
  MeasuredWork measured_work = {};  // what draws take `work` and `backward_work` from (given_draws.h)
  std::optional<ImageWork> image_work = {};  // or from images (given_draws.h)
  ModelState state = {};                     // of a trained layer; a frozen one has its parameters alone
  Bytes output = {};  // what a layer passes on of a microbatch of work 1, as its gradient
};

struct GivenCosts {
  std::vector<BlockProfile> blocks;       // one per block of the model
  Seconds p2p;                            // every transfer between different ranks
  std::optional<Seconds> reduction = {};  // every one, and every broadcast, over more than one; absent: p2p
  std::uint32_t equal_replicas = 1;       // each replica of a `derived` stands for this many that run alike
};

// In the unit of the activations.
Bytes weight_gradient_activation(const BlockProfile& profile);

// Is every activation that a backward needs stated in bytes? The unit of one that is not is no byte.
bool states_memory(const GivenCosts& costs, const Model& model);

// A layer's weight gradient is charged if it is trainable; its input gradient if it or any layer before it
// is. Overlapped, the shorter pass hides in the longer one the share of itself that fused_forward_backward
// says, of several blocks their mean by time: more than the whole where that is less than the longer pass,
// but never so much that they take less than no time. Nothing moves as bytes: a transfer is its duration.
class GivenCostModel final : public CostModel {
 public:
  // Views `outline`, which outlives it. Contract: one profile per block; work lists as long as the pipeline
  // asks; nothing left to draw.
  GivenCostModel(std::shared_ptr<const GivenCosts> costs, const Outline& outline);
  GivenCostModel(GivenCosts costs, const Outline& outline);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  void passes(Pass which, StageId stage, ReplicaId replica, std::span<const MicrobatchId> microbatches,
              SecondsApart out) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  Transfer transfer(const Event& event, ReplicaId replica) const override;
  Bytes received(const Event& event, ReplicaId replica) const override;
  // Transfers are; computing events of layers without work factors are.
  bool uniform(const Event& event) const override;
  // With as many layers of each block, which compute the same gradients.
  StageId like(StageId stage) const override;
  // Both move something, or neither does, and both are of a group, or neither is.
  bool same_transfers(const Event& a, const Event& b) const override;
  ModelState model_state(StageId stage) const override;
  // Activations are held by layers that have a gradient to compute, for a weight gradient by trained ones.
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool holds_alike(StageId stage) const override;

 private:
  struct BlockPass;
  bool same_passes(StageId a, StageId b) const;
  BlockPass block_pass(std::size_t block, Pass pass, StageId stage, ReplicaId replica) const;
  bool uniform_on(StageId stage) const;
  bool moves(const Event& event) const;

  std::shared_ptr<const GivenCosts> shared_;
  const GivenCosts& costs_;  // these
  const Outline& outline_;
};

}  // namespace spillway
