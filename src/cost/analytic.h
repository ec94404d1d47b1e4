// The analytic cost model (paper section 3.3): a slab takes the roofline max(W/F, D/B) of its work plus the
// collectives inside it; a transfer and a reduction take alpha + beta n over the tier that their devices
// span.
//
// Conventions, beside cost/conventions.h:
//   - The members of a rank split the backbone by tensor parallelism with sequence parallelism. An encoder is
//     not split: each image is encoded whole by one member (encoder_spread.h), so its weights lie on every
//     member.
//   - Where a slab has layers of several blocks, each block's part is a roofline of its own.
//   - Collectives inside a slab are not hidden behind its work. A backward repeats the forward's, and a full
//     recomputation once more; the extra all-gather that a weight gradient takes is taken as hidden, as in
//     Megatron-LM. Split in two, all of that and the recomputation belong to the input gradient.
//   - Routing is balanced. Dispatch and combine move one copy of a token for each expert it goes to.
//   - A trainable layer's backward is twice its forward, and where it is frozen behind a trainable one, the
//     input gradient alone (roofline.h); recomputation adds to it.
//   - What a device keeps for its backward follows from its layers (layer_cost.h, slab_footprint.h), split as
//     the work is: tokens over the members, images whole; a rank holds what its busiest member holds of each
//     microbatch. Inputs that are gathered for a product are gathered anew for its gradient, not kept.
//     Workspace, communication buffers and fragmentation are not counted.
//   - A sequence attends causally over its whole length, packed or not.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cost/alpha_beta.h"
#include "cost/analytic_costs.h"
#include "cost/price.h"

namespace spillway {

// Prices one Derived under one draw. Stages are summed at construction: making the model anew with another
// efficiency is one pass over layers and stages, and the price of an event allocates nothing and loops over a
// rank's members and a stage's blocks alone.
class AnalyticCostModel final : public CostModel {
 public:
  // Contract: check_analytic finds nothing; `loads` comes from draw_loads(costs, ...) and covers the
  // pipeline's replicas and microbatches; the methods are asked about `derived` alone.
  AnalyticCostModel(const AnalyticCosts& costs, const Derived& derived,
                    std::shared_ptr<const DrawLoads> loads);

  Seconds pass(const Derived& derived, Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica,
               EncoderWork work) const override;

  // Either pass computes while the other communicates: the longer of all computing and all communication.
  Seconds overlapped(const Derived& derived, const Event& event, ReplicaId replica,
                     EncoderWork work) const override;

  // Send and RecvGrad carry what passes between two layers: tokens x width elements of the backbone, shared
  // by the members; between an encoder's layers the patches of the busiest member; behind its last layer
  // (Gather, Scatter) the image tokens, shared by the members.
  Transfer transfer(const Derived& derived, const Event& event, ReplicaId replica) const override;

  ModelState model_state(const Derived& derived, StageId stage) const override;
  Held held(const Derived& derived, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;

 private:
  struct Block {
    LayerStack stack;
    bool encoder;  // by role: what EncoderWork::Free leaves out
    Rates rates;
    Gradients gradients;
    Recompute recompute;
    Seconds fixed;
  };

  // The layers of one block on one stage.
  struct Part {
    std::size_t block;
    Slab slab;
    Seconds fixed;            // of the forward
    AlphaBeta communication;  // of the forward, in bytes of one activation of the whole sequence
    Held held_per_token;
  };

  // What a pass takes, one after the other.
  struct Spent {
    Seconds computing;
    Seconds communicating;  // inside the slab

    Spent& operator+=(const Spent& other);
  };

  static Block make_block(const BlockCosts& costs, const Platform& platform, const Model& model,
                          std::size_t index);
  void add_parts(const AnalyticCosts& costs, const Derived& derived, const Stage& stage);
  AlphaBeta communication(const AnalyticCosts& costs, const Stage& stage, const Block& block,
                          std::span<const Layer> layers) const;
  ModelState states(const AnalyticCosts& costs, std::size_t first, std::uint32_t copies) const;
  Transfer reduction(const AnalyticCosts& costs, const Derived& derived, const Stage& stage,
                     std::size_t first) const;

  Spent forward(const Part& part, MicrobatchId microbatch, ReplicaId replica) const;
  Spent backward(const Part& part, Gradients gradients, MicrobatchId microbatch, ReplicaId replica) const;
  Spent spent(const Part& part, Pass pass, MicrobatchId microbatch, ReplicaId replica) const;
  template <class WorkOf>
  Seconds slowest_device(const Part& part, MicrobatchId microbatch, ReplicaId replica, WorkOf work_of) const;
  Seconds communication(const Part& part, MicrobatchId microbatch, ReplicaId replica) const;
  Spent spent(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica, EncoderWork work) const;
  // Patches or tokens of the member with the most.
  double busiest_tokens(std::size_t block, MicrobatchId microbatch, ReplicaId replica) const;
  Bytes passed_on(const Model& model, std::uint32_t boundary, MicrobatchId microbatch,
                  ReplicaId replica) const;
  Seconds link(const Event& event, ReplicaId replica, Bytes payload) const;

  Platform platform_;
  DeviceGrid grid_;
  std::vector<Block> blocks_;
  std::vector<Part> parts_;
  std::vector<std::size_t> first_part_;  // stage -> index into parts_, one more at the end
  std::vector<Transfer> reductions_;     // stage -> gradient reduction
  std::vector<ModelState> states_;       // by stage
  std::shared_ptr<const DrawLoads> loads_;
};

}  // namespace spillway
