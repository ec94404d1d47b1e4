#include "experiment/even_stages.h"

#include <algorithm>
#include <utility>

namespace spillway {

EvenStages::EvenStages(std::unique_ptr<CostModel> as_placed, const Outline& outline)
    : CostsOver(std::move(as_placed)), outline_(outline) {
  for (std::uint32_t stage = 0; stage < outline.stages.size(); ++stage)
    if (is_pipelined(StageId(stage))) pipelined_.emplace_back(stage);
}

bool EvenStages::is_pipelined(StageId stage) const {
  return outline_.placement[outline_.stage(stage).region.index()].layout == Layout::Sharded;
}

Seconds EvenStages::mean(Pass pass, MicrobatchId microbatch, ReplicaId replica) const {
  Seconds sum;
  for (const StageId stage : pipelined_) sum += under().pass(pass, stage, microbatch, replica);
  return sum / static_cast<double>(pipelined_.size());
}

Seconds EvenStages::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  if (!is_pipelined(stage)) return under().pass(pass, stage, microbatch, replica);
  return mean(pass, microbatch, replica);
}

Seconds EvenStages::both(const Event& event, ReplicaId replica, bool even) const {
  const CostModel& costs = even ? static_cast<const CostModel&>(*this) : under();
  return costs.pass(Pass::Forward, event.stage, event.microbatch, replica) +
         costs.pass(Pass::Backward, event.peer_stage, event.peer_microbatch, replica);
}

Seconds EvenStages::overlapped(const Event& event, ReplicaId replica) const {
  const Seconds placed = both(event, replica, false);
  if (placed == Seconds()) return both(event, replica, true);
  return under().overlapped(event, replica) * (both(event, replica, true) / placed);
}

bool EvenStages::uniform(const Event& event) const {
  if (!event.computes() || !is_pipelined(event.stage)) return under().uniform(event);
  return std::ranges::all_of(pipelined_, [&](StageId stage) {
    return under().uniform({.kind = EventKind::Forward, .stage = stage}) &&
           under().uniform({.kind = EventKind::Backward, .stage = stage});
  });
}

InsidePass EvenStages::inside(const Event& event, ReplicaId replica) const {
  InsidePass inside = under().inside(event, replica);
  const Seconds placed = event_seconds(under(), event, replica);
  if (placed == Seconds()) return {};
  const double share = event_seconds(*this, event, replica) / placed;
  return {inside.collectives * share, inside.recomputed * share};
}

}  // namespace spillway
