#include "cost/analytic.h"

#include <algorithm>
#include <utility>

namespace spillway {

AnalyticCostModel::AnalyticCostModel(const AnalyticCosts& costs, const Outline& outline,
                                     std::shared_ptr<const DrawLoads> loads)
    : AnalyticCostModel(costs, outline, std::make_shared<const StageSlabs>(costs, outline),
                        std::move(loads)) {}

AnalyticCostModel::AnalyticCostModel(const AnalyticCosts& costs, const Outline& outline,
                                     const std::shared_ptr<const StageSlabs>& stages,
                                     std::shared_ptr<const DrawLoads> loads)
    : AnalyticCostModel(costs, outline, stages,
                        std::make_shared<const CollectiveUses>(collective_uses(costs, outline, *stages)),
                        std::move(loads), *std::make_unique<PricedSlabs>()) {}

AnalyticCostModel::AnalyticCostModel(const AnalyticCosts& costs, const Outline& outline,
                                     std::shared_ptr<const StageSlabs> stages,
                                     std::shared_ptr<const CollectiveUses> uses,
                                     std::shared_ptr<const DrawLoads> loads, PricedSlabs& known)
    : slowdown_(costs.platform.accelerator.slowdown_under_communication.value),
      hides_fused_(costs.framework.hidden_fused.value),
      hides_reductions_(reduces_sharded_once(costs) || costs.framework.hidden_gradients.value > 0 ||
                        costs.framework.hidden_parameters.value > 0),
      stages_(std::move(stages)),
      loads_(std::move(loads)),
      times_(slab_prices(*stages_, *loads_, known)),
      collectives_(stages_, std::move(uses), loads_),
      footprints_(costs, outline, stages_, loads_),
      broadcasts_(stage_broadcasts(costs, outline, *stages_)) {
  ensure(loads_->members() == stages_->grid.members && loads_->replicas() >= outline.pipeline.replicas &&
             loads_->microbatches() >= outline.pipeline.microbatches,
         "analytic costs: the loads cover the pipeline");
  end_step(costs, outline, {});
}

void AnalyticCostModel::end_step(const AnalyticCosts& costs, const Outline& outline,
                                 const std::vector<double>& factors) {
  const std::vector<Cover> under = covers(outline);
  reductions_ = stage_reductions(costs, outline, *stages_, footprints_.states(), under, factors);
  if (costs.framework.reductions)
    step_end_ =
        spillway::step_end(costs, outline, *stages_, footprints_.states(), reductions_, under, factors);
}

// Return the shortest pass over all replicas for each cover, so that no replica hides more than it can.
std::vector<Cover> AnalyticCostModel::covers(const Outline& outline) const {
  std::vector<Cover> covers;
  if (!hides_reductions_) return covers;
  const MicrobatchId first(0), last(outline.pipeline.microbatches - 1);
  for (std::uint32_t stage = 0; stage < outline.stages.size(); ++stage) {
    const auto shortest = [&](Pass which, MicrobatchId microbatch) {
      Seconds least = pass(which, StageId(stage), microbatch, ReplicaId(0));
      for (std::uint32_t replica = 1; replica < outline.pipeline.replicas; ++replica)
        least = std::min(least, pass(which, StageId(stage), microbatch, ReplicaId(replica)));
      return least;
    };
    covers.push_back({shortest(Pass::Backward, last), shortest(Pass::Forward, first)});
  }
  return covers;
}

PassTime AnalyticCostModel::time_of(Pass pass, StageId stage, MicrobatchId microbatch,
                                    ReplicaId replica) const {
  PassTime total;
  for (const StageSlabs::Part& part : stages_->parts(stage)) {
    const StageSlabs::Block& block = stages_->block(part);
    const SlabTimes& times = (*times_[part.slab])[loads_->load(block.stack->unit, replica, microbatch)];
    total +=
        SlabPasses{times, collectives_.of(part, microbatch, replica), block.gradients, part.fixed}.of(pass);
  }
  return total;
}

Seconds AnalyticCostModel::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  return time_of(pass, stage, microbatch, replica).alone(slowdown_);
}

PassTime AnalyticCostModel::fused(const Event& event, ReplicaId replica) const {
  PassTime both = time_of(Pass::Forward, event.stage, event.microbatch, replica);
  both += time_of(Pass::Backward, event.peer_stage, event.peer_microbatch, replica);
  return both;
}

Seconds AnalyticCostModel::overlapped(const Event& event, ReplicaId replica) const {
  return fused(event, replica).overlapped(slowdown_, hides_fused_);
}

InsidePass AnalyticCostModel::inside(const Event& event, ReplicaId replica) const {
  if (!event.computes()) return {};
  const bool two = event.kind == EventKind::ForwardBackward;
  const PassTime time =
      two ? fused(event, replica) : time_of(pass_of(event.kind), event.stage, event.microbatch, replica);
  const Seconds whole = two ? time.overlapped(slowdown_, hides_fused_) : time.alone(slowdown_);
  return {whole - time.computing, time.recomputed};
}

Transfer AnalyticCostModel::transfer(const Event& event, ReplicaId replica) const {
  if (event.kind == EventKind::Broadcast) return broadcasts_[event.stage.index()];
  return event.kind == EventKind::DpReduce ? reductions_[event.stage.index()]
                                           : footprints_.seams().of(event, replica);
}

MessageSize AnalyticCostModel::message(const Event& event, ReplicaId replica) const {
  return {footprints_.seams().payload(event, replica), footprints_.seams().shape(event, replica)};
}

bool AnalyticCostModel::uniform(const Event& event) const {
  if (event.computes())
    return uniform_on(*stages_, *loads_, event.stage) &&
           (event.kind != EventKind::ForwardBackward || uniform_on(*stages_, *loads_, event.peer_stage));
  if (event.kind == EventKind::DpReduce)
    return !hides_reductions_ || uniform_on(*stages_, *loads_, event.stage);
  return event.kind == EventKind::Broadcast || footprints_.seams().uniform(event);
}

std::vector<PricedOperator> AnalyticCostModel::priced_operators(const Order& order) const {
  return spillway::priced_operators(order, *stages_, collectives_, *loads_);
}

}  // namespace spillway
