#include "draws/even_stages.h"

#include <algorithm>
#include <utility>

#include "derive/modules.h"

namespace spillway {
namespace {

std::size_t first_rank_of_pipeline(const Outline& outline, const Stage& stage) {
  if (outline.modules.empty()) return 0;
  const std::vector<ModulePlace> places = places_of(outline.modules, outline.pipeline);
  const ModulePlace& own = places[module_of_rank(places, stage.rank)];
  return own.first_rank + (stage.rank.index() - own.first_rank) % own.copies;
}

}  // namespace

EvenStages::EvenStages(std::unique_ptr<CostModel> as_placed, const Outline& outline)
    : CostsOver(std::move(as_placed)), outline_(outline) {
  pipelines_.resize(outline.pipeline.ranks);
  for (std::uint32_t stage = 0; stage < outline.stages.size(); ++stage) {
    pipeline_.push_back(first_rank_of_pipeline(outline, outline.stages[stage]));
    if (is_pipelined(StageId(stage))) pipelines_[pipeline_.back()].emplace_back(stage);
  }
}

bool EvenStages::is_pipelined(StageId stage) const {
  return outline_.placement[outline_.stage(stage).region.index()].layout == Layout::Sharded;
}

Seconds EvenStages::mean(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  const std::vector<StageId>& all = pipeline_of(stage);
  Seconds sum;
  for (const StageId one : all) sum += under().pass(pass, one, microbatch, replica);
  return sum / static_cast<double>(all.size());
}

Seconds EvenStages::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  if (!is_pipelined(stage)) return under().pass(pass, stage, microbatch, replica);
  return mean(pass, stage, microbatch, replica);
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
  return std::ranges::all_of(pipeline_of(event.stage), [&](StageId stage) {
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
