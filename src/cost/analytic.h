// The analytic cost model (paper section 3.3): a slab takes the sum of its operators' times (measured or by
// the roofline) and of the collectives that nothing hides; a transfer and a reduction take what a message and
// a collective take over the tiers that their devices span.
//
// Conventions, beside cost/layers/conventions.h:
//   - The members of a rank split the backbone by tensor and context parallelism. An encoder is not split:
//     each image is encoded whole by one member (encoder_spread.h), so its weights lie on every member.
//   - What a pass computes: slab_time.h. Which collectives it brings and what they hide under:
//     slab_collectives.h. While a collective hides, computing is slowed down as the platform says.
//   - Split in two, a backward's recomputation and its exposed collectives belong to the input gradient.
//   - A block with an efficiency of its own is priced by the roofline with that, tables or not.
//   - Skewed routing is one figure, the busiest expert device over the mean; every slab pays for the busiest.
//   - A stage's parameters are updated when their gradients are reduced, at the speed of memory.
//   - What a device keeps for its backward: slab_memory.h; a rank holds what its busiest member holds.
//   - A sequence attends causally over its whole length, packed or not.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "cost/analytic_costs.h"
#include "cost/evidence.h"
#include "cost/price.h"
#include "cost/slab_collectives.h"
#include "cost/slabs/priced_slabs.h"
#include "cost/slabs/slab_footprint.h"
#include "cost/slabs/slab_memory.h"
#include "cost/slabs/slab_time.h"

namespace spillway {

struct Run;

// Prices one Derived under one draw. Everything is priced at construction, once for every slab and every kind
// of microbatch; the price of an event is a look-up.
class AnalyticCostModel final : public CostModel {
 public:
  // Contract: check_analytic finds nothing; `loads` comes from draw_loads(costs, ...) and covers the
  // pipeline's replicas and microbatches; the methods are asked about `derived` alone. Slabs priced before
  // for these costs, loads and this model are taken from `known`, others added to it.
  AnalyticCostModel(const AnalyticCosts& costs, const Outline& derived,
                    std::shared_ptr<const DrawLoads> loads, PricedSlabs& known);
  AnalyticCostModel(const AnalyticCosts& costs, const Outline& derived,
                    std::shared_ptr<const DrawLoads> loads);

  Seconds pass(const Outline& derived, Pass pass, StageId stage, MicrobatchId microbatch,
               ReplicaId replica) const override;

  // Either pass computes while the other communicates: the longer of all computing, slowed down meanwhile,
  // and all communication; but what tensor parallelism exposes in a pass of its own is exposed here too.
  Seconds overlapped(const Outline& derived, const Event& event, ReplicaId replica) const override;

  // Send and RecvGrad carry what passes between two layers: tokens x width elements of the backbone, shared
  // by the members (all of it by each context rank's members without sequence parallelism); between an
  // encoder's layers the patches of the busiest member; behind its last layer (Gather, Scatter) the image
  // tokens, shared by the members.
  Transfer transfer(const Outline& derived, const Event& event, ReplicaId replica) const override;
  Bytes received(const Outline& derived, const Event& event, ReplicaId replica) const override;

  // Over tokens: where every microbatch of the loads has sequences of one length, and as many. Transfers
  // whose payload and tiers are the same for every microbatch and replica.
  bool uniform(const Outline& derived, const Event& event) const override;

  ModelState model_state(const Outline& derived, StageId stage) const override;
  Held held(const Outline& derived, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool holds_alike(const Outline& derived, StageId stage) const override;
  Bytes workspace(const Outline& derived, RankId rank) const override;
  // Those among the devices of a pipeline rank or of replicas that advance together; ZeRO's own, among
  // replicas that do not, stay inside the price.
  std::vector<SlabCollective> collectives(const Outline& derived, const Event& event,
                                          ReplicaId replica) const override;

  // Shapes that vary by microbatch are named by the largest.
  std::vector<PricedOperator> priced_operators(const Derived& derived) const override;

 private:
  struct Block {
    LayerStack stack;
    OperatorTimes times;
    Gradients gradients;
    Recompute recompute;
    Seconds fixed;
  };

  // A run of one block's layers, as it is on one device; stages with the same layers share it.
  struct Slab {
    std::size_t block;
    LayerRange layers;  // of the model
    std::vector<CountedOperator> operators;
    LayerCost cost;
    SlabMemory memory;
    SlabTimesByLoad times;
  };

  // The layers of one block on one stage.
  struct Part {
    std::size_t slab;
    Seconds fixed;  // of the forward
    std::vector<SlabCollectiveUse> uses;
    std::vector<SlabCommunication> communication;  // by kind of microbatch; empty over patches
  };

  // What a pass takes.
  struct Spent {
    Seconds computing;
    Seconds exposed;  // collectives after it
    Seconds hidden;   // collectives beside it
    Seconds tensor;   // of the exposed ones, those that no other pass hides either

    Spent& operator+=(const Spent& other);
  };

  void time_links();
  Block make_block(const BlockCosts& costs, const Model& model, std::size_t index) const;
  std::size_t slab_of(std::size_t block, LayerRange part, const Model& model, PricedSlabs& priced);
  std::vector<SlabTimes> price(const Slab& slab) const;
  void add_parts(const Outline& derived, const Stage& stage, PricedSlabs& known);
  Transfer reduction(const AnalyticCosts& costs, const Outline& derived, const Stage& stage,
                     std::size_t first) const;
  Seconds update(const ModelState& state) const;

  SlabTimes device_times(const Slab& slab, const DeviceImages& device) const;
  SlabLoad load_of(const TokenLoad& tokens, Sequences& sequences) const;
  const SlabTimes& times_of(const Part& part, MicrobatchId microbatch, ReplicaId replica) const;
  SlabCommunication communication_of(const Part& part, MicrobatchId microbatch, ReplicaId replica) const;
  Spent forward(const Part& part, MicrobatchId microbatch, ReplicaId replica) const;
  Spent input_gradient(const Part& part, bool weight_follows, MicrobatchId microbatch,
                       ReplicaId replica) const;
  Spent weight_gradient(const Part& part, MicrobatchId microbatch, ReplicaId replica) const;
  Spent spent(const Part& part, Pass pass, MicrobatchId microbatch, ReplicaId replica) const;
  Spent spent(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const;
  Seconds beside(Seconds computing, Seconds hidden) const;
  Seconds beside(const Spent& spent) const { return beside(spent.computing, spent.hidden) + spent.exposed; }

  using PartRun = std::tuple<std::size_t, std::size_t, Pass>;  // part, kind or cell of the load, pass
  std::map<PartRun, double> part_runs(const Derived& derived) const;

  Held held(const Slab& slab, MicrobatchId microbatch, ReplicaId replica) const;
  // Of a pass in the event.
  void add_collectives(const Part& part, const Event& event, const Run& run, ReplicaId replica,
                       std::vector<SlabCollective>& all) const;
  bool uniform_on(StageId stage) const;
  bool passes_equal_payloads(const Outline& derived, std::uint32_t boundary) const;
  // Of the layers that a transfer joins, where the later ones begin; the block of the layer before.
  static std::uint32_t boundary_between(const Outline& derived, const Event& event);
  static std::size_t producer_of(const Model& model, std::uint32_t boundary);
  Bytes passed_on(const Model& model, std::uint32_t boundary, MicrobatchId microbatch,
                  ReplicaId replica) const;

  Platform platform_;
  Parallelism parallelism_;
  DeviceGrid grid_;
  std::uint32_t equal_replicas_;
  OperatorTimes times_;  // of the platform
  std::shared_ptr<const DrawLoads> loads_;
  std::vector<CollectiveTime> links_;  // tier -> one message between two devices that it joins
  std::vector<Block> blocks_;
  std::vector<Slab> slabs_;
  std::vector<Part> parts_;
  std::vector<std::size_t> first_part_;  // stage -> index into parts_, one more at the end
  std::vector<Transfer> reductions_;     // stage -> gradient reduction and update
  std::vector<ModelState> states_;       // by stage
  std::vector<WeightShapes> trained_;    // by rank
};

}  // namespace spillway
