// The analytic cost model (paper section 3.3): a slab takes the sum of its operators' times (measured or by
// the roofline) and of the collectives that nothing hides; a transfer and a reduction take what a message and
// a collective take over the tiers that their devices span.
//
// Conventions, beside cost/layers/conventions.h:
//   - The members of a rank split the backbone by tensor and context parallelism. An encoder is split by
//     tensors where the job says so (EncoderImages); else each image is encoded whole by one member
//     (encoder_spread.h) or by all, and its weights lie on every member.
//   - What a pass computes: slab_time.h. Which collectives it brings and what they hide under:
//     slab_collectives.h. While a collective hides, computing is slowed down as the platform says
//     (pass_time.h).
//   - Split in two, a backward's recomputation and its exposed collectives belong to the input gradient.
//   - A block with an efficiency of its own is priced by the roofline with that, tables or not.
//   - Skewed routing is one figure, the busiest expert device over the mean; every slab pays for the busiest.
//   - A stage's parameters are updated when their gradients are reduced, at the speed of memory.
//   - What a device keeps for its backward: slab_memory.h; a rank holds what its busiest member holds.
//   - A sequence attends causally over its whole length, packed or not.
#pragma once

#include <memory>
#include <vector>

#include "cost/analytic_footprints.h"
#include "cost/cost_model.h"
#include "cost/reduction.h"
#include "cost/slab_prices.h"
#include "cost/slabs/pass_time.h"
#include "cost/stage_collectives.h"

namespace spillway {

// Everything is priced at construction, once for every slab and every kind of microbatch; the price of an
// event is a look-up.
class AnalyticCostModel final : public CostModel {
 public:
  // Views `outline`, which outlives it. Contract: check_analytic finds nothing; `loads` comes from
  // draw_loads(costs, ...) and covers the pipeline's replicas and microbatches. Slabs priced before for these
  // costs, loads and this model are taken from `known`, others added to it.
  // `stages` and `uses` are of these costs and this outline.
  AnalyticCostModel(const AnalyticCosts& costs, const Outline& outline,
                    std::shared_ptr<const StageSlabs> stages, std::shared_ptr<const CollectiveUses> uses,
                    std::shared_ptr<const DrawLoads> loads, PricedSlabs& known);
  AnalyticCostModel(const AnalyticCosts& costs, const Outline& outline,
                    std::shared_ptr<const DrawLoads> loads);

  // What pass() is made of.
  PassTime time_of(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const;
  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  Transfer transfer(const Event& event, ReplicaId replica) const override;
  // Over tokens: where every microbatch of the loads has sequences of one length, and as many.
  bool uniform(const Event& event) const override;

  ModelState model_state(StageId stage) const override { return footprints_.model_state(stage); }
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override {
    return footprints_.held(stage, microbatch, replica);
  }
  bool holds_alike(StageId stage) const override { return footprints_.holds_alike(stage); }
  Bytes received(const Event& event, ReplicaId replica) const override {
    return footprints_.received(event, replica);
  }
  Bytes received_input(const Event& event, ReplicaId replica) const override {
    return footprints_.received_input(event, replica);
  }
  Bytes workspace(RankId rank) const override { return footprints_.workspace(rank); }

  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override {
    return collectives_.inside(event, replica);
  }
  InsidePass inside(const Event& event, ReplicaId replica) const override;
  std::vector<PricedOperator> priced_operators(const Order& order) const override;

 private:
  AnalyticCostModel(const AnalyticCosts& costs, const Outline& outline,
                    const std::shared_ptr<const StageSlabs>& stages, std::shared_ptr<const DrawLoads> loads);
  PassTime fused(const Event& event, ReplicaId replica) const;
  std::vector<Cover> covers(const Outline& outline) const;

  double slowdown_;     // of computing under communication
  double hides_fused_;  // of what passes that run together could hide
  // Under passes, which are as long as the draw makes them: a reduction then takes another time in another
  // draw.
  bool hides_reductions_;
  std::shared_ptr<const StageSlabs> stages_;
  std::shared_ptr<const DrawLoads> loads_;
  std::vector<SlabTimesByLoad> times_;  // by slab
  StageCollectives collectives_;
  AnalyticFootprints footprints_;
  std::vector<Transfer> reductions_, broadcasts_;  // by stage; broadcasts of a transposed input's alone
};

}  // namespace spillway
