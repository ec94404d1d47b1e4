// What has one price for every microbatch and replica.
#include "cost/analytic.h"

namespace spillway {

bool AnalyticCostModel::uniform_on(StageId stage) const {
  for (std::size_t i = first_part_[stage.index()]; i < first_part_[stage.index() + 1]; ++i) {
    const Block& block = blocks_[slabs_[parts_[i].slab].block];
    if (block.stack.unit == LoadUnit::Patch || loads_->kinds().size() > 1) return false;
  }
  return true;
}

bool AnalyticCostModel::holds_alike(const Outline&, StageId stage) const {
  return uniform_on(stage);
}

bool AnalyticCostModel::passes_equal_payloads(const Outline& derived, std::uint32_t boundary) const {
  const std::size_t producer = producer_of(derived.model, boundary);
  if (blocks_[producer].stack.unit == LoadUnit::Token) return loads_->kinds().size() == 1;
  return derived.model.layers_of(producer).end == boundary && loads_->equal_image_tokens();
}

bool AnalyticCostModel::uniform(const Outline& derived, const Event& event) const {
  if (event.computes()) {
    const bool two = event.kind == EventKind::ForwardBackward;
    return uniform_on(event.stage) && (!two || uniform_on(event.peer_stage));
  }
  if (event.kind == EventKind::DpReduce || event.rank == event.peer_rank) return true;
  if (!passes_equal_payloads(derived, boundary_between(derived, event))) return false;
  const Seconds first = transfer(derived, event, ReplicaId(0)).alone;
  for (std::uint32_t replica = 1; replica < derived.pipeline.replicas; ++replica)
    if (transfer(derived, event, ReplicaId(replica)).alone != first) return false;
  return true;
}

}  // namespace spillway
