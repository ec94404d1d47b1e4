// The analytic cost model (paper section 3.3). A slab takes the sum of its operators' times (measured or by
// the roofline) and of the collectives that nothing hides. A transfer takes the time of a message, a
// reduction the time of a collective, over the tiers that their devices span.
//
// Conventions, beside cost/layers/conventions.h:
//   - The members of a rank split the backbone by tensor and context parallelism. An encoder is split over
//     the tensor-parallel group where the job says so (EncoderImages). Otherwise each image is encoded whole
//     by one member (encoder_spread.h) or by all of them, and the encoder's weights lie on every member.
//   - slab_time.h says what a pass computes; slab_collectives.h says which collectives it brings and what
//     they hide under. A hidden collective slows computing down as the platform says (pass_time.h).
//   - If a backward is split in two, its recomputation and its exposed collectives belong to the input
//     gradient.
//   - A block with its own efficiency is priced by the roofline at that efficiency, with or without tables.
//   - Skewed routing is one figure, the busiest expert device over the mean. Every slab pays for the busiest.
//   - A stage's parameters are updated when their gradients are reduced, at the speed of memory.
//   - slab_memory.h says what a device keeps for its backward. A rank holds what its busiest member holds.
//   - Each document of a packed sequence attends causally within itself, unless the framework says otherwise
//     (token_loads.h). Context-parallel devices have equal shares of every document's pairs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cost/analytic_footprints.h"
#include "cost/cost_model.h"
#include "cost/priced_operators.h"
#include "cost/reduction.h"
#include "cost/slab_prices.h"
#include "cost/slabs/pass_time.h"
#include "cost/stage_collectives.h"

namespace spillway {

// The constructor prices everything, once for every slab and every kind of microbatch. The price of an event
// is then a look-up.
class AnalyticCostModel final : public CostModel {
 public:
  // Views `outline`, which outlives it. Contract: check_analytic finds nothing; `loads` comes from
  // draw_loads(costs, ...) and covers the pipeline's replicas and microbatches; `stages` and `uses` belong to
  // these costs and this outline. `known` holds slabs priced before for these costs, loads and this model:
  // the constructor takes their prices and adds those of other slabs.
  AnalyticCostModel(const AnalyticCosts& costs, const Outline& outline,
                    std::shared_ptr<const StageSlabs> stages, std::shared_ptr<const CollectiveUses> uses,
                    std::shared_ptr<const DrawLoads> loads, PricedSlabs& known);
  AnalyticCostModel(const AnalyticCosts& costs, const Outline& outline,
                    std::shared_ptr<const DrawLoads> loads);

  // Multiplies the optimizers of stages, which were measured. Contract: a factor for each stage; `costs` and
  // `outline` are those of the constructor.
  void scale_optimizers(const AnalyticCosts& costs, const Outline& outline,
                        const std::vector<double>& factors) {
    end_step(costs, outline, factors);
  }

  // The parts of pass()'s time.
  PassTime time_of(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const;
  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  Transfer transfer(const Event& event, ReplicaId replica) const override;
  MessageSize message(const Event& event, ReplicaId replica) const override;
  const StepEnd* step_end() const override { return step_end_ ? &*step_end_ : nullptr; }
  // Passes over tokens are uniform if all microbatches of the loads have the same sequences.
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
  void end_step(const AnalyticCosts& costs, const Outline& outline, const std::vector<double>& factors);

  double slowdown_;     // slowdown of computing under communication
  double hides_fused_;  // share of the hideable collectives that passes run together hide
  // Reductions hide under passes, whose length follows the draw, so a reduction's time differs between draws.
  bool hides_reductions_;
  std::shared_ptr<const StageSlabs> stages_;
  std::shared_ptr<const DrawLoads> loads_;
  std::vector<SlabTimesByLoad> times_;  // by slab
  StageCollectives collectives_;
  AnalyticFootprints footprints_;
  std::optional<StepEnd> step_end_;                // stated by the framework
  std::vector<Transfer> reductions_, broadcasts_;  // by stage; broadcasts only of a transposed input
};

}  // namespace spillway
