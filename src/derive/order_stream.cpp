#include "derive/order_stream.h"

#include <utility>

#include "derive/stages.h"
#include "derive/step_events.h"

namespace spillway {
namespace {

Outline checked_outline(const Model& model, const Schedule& schedule, const Cut& cut,
                        const DeriveOptions& options) {
  ensure(check_stream(model, schedule, cut, options).empty(), "a stream takes what check_stream accepts");
  return derive_outline(model, schedule, cut, options);
}

std::optional<ShardedRun> only_run(const Schedule& schedule) {
  const std::vector<ShardedRun> runs = sharded_runs(schedule);
  return runs.empty() ? std::nullopt : std::optional(runs.front());
}

// The orders that must be held, because they do not follow slot by slot.
std::vector<RankOrder> held_orders(const std::optional<ShardedRun>& run, const RunShape& shape) {
  return !run || follows_by_slot(run->skeleton) ? std::vector<RankOrder>()
                                                : rank_orders(run->skeleton, shape);
}

// Microbatches that enter the region by the same stage pass the same stages of it.
std::vector<std::vector<std::uint32_t>> turns(const Outline& outline, const Paths& paths) {
  std::vector<std::vector<std::uint32_t>> turns(outline.regions.size());
  for (std::size_t region = 0; region < turns.size(); ++region) {
    std::vector<std::uint32_t> passed(outline.stages.size(), 0);  // by the stage of entry
    for (std::uint32_t m = 0; m < outline.pipeline.microbatches; ++m)
      turns[region].push_back(passed[paths.of(region, m).front().index()]++);
  }
  return turns;
}

std::vector<StepReduce> step_reduces(const Outline& outline, const Paths& paths) {
  std::vector<StepReduce> reduces;
  for (const Reduce& reduce : outline.collectives.reduces) {
    for (std::uint32_t index = 0; index < paths.length(reduce.region.index()); ++index) {
      std::vector<StageId> copies = paths.copies(reduce.region.index(), index);
      const Event event = reduce_event(reduce, outline.stages, copies, outline.pipeline.replicas);
      reduces.push_back({event, std::move(copies)});
    }
  }
  return reduces;
}

}  // namespace

// Returns the encodes of each rank, or their backwards, in order.
std::vector<std::vector<OrderStream::Encode>> OrderStream::encodes(bool backward) const {
  std::vector<std::vector<Encode>> own(outline_.pipeline.ranks);
  const auto inputs = static_cast<std::uint32_t>(outline_.inputs());
  for (std::uint32_t m = 0; m < outline_.pipeline.microbatches; ++m)
    for (std::uint32_t i = 0; i < inputs; ++i) {
      const std::uint32_t input = backward ? inputs - 1 - i : i;
      if (backward && !footprints_[input].receives) continue;
      const RankId owner = std::get<ByMicrobatch>(outline_.placement[input].owner).owner[m];
      own[owner.index()].push_back({RegionId(input), MicrobatchId(m)});
    }
  return own;
}

OrderStream::OrderStream(const Model& model, const Schedule& schedule, const Cut& cut,
                         const DeriveOptions& options)
    : outline_(checked_outline(model, schedule, cut, options)),
      footprints_(backward_footprints(outline_.regions, outline_.inputs())),
      paths_(outline_.stages, outline_.placement, options.pipeline.microbatches),
      run_(only_run(outline_.schedule)),
      shape_(run_ ? run_shape(*run_, outline_.stages, options) : RunShape{}),
      orders_(held_orders(run_, shape_)),
      owned_(encodes(false)),
      trained_(encodes(true)),
      turn_(turns(outline_, paths_)),
      reduces_(step_reduces(outline_, paths_)) {}

std::uint64_t OrderStream::positions(RankId rank) const {
  const std::uint64_t body = orders_.empty() ? slots() : orders_[rank.index()].size();
  return owned_[rank.index()].size() + body + trained_[rank.index()].size();
}

// The slots of each rank, if they follow from positions.
std::uint64_t OrderStream::slots() const {
  return run_ ? 2 * std::uint64_t{shape_.microbatches} * shape_.chunks : 0;
}

Slot OrderStream::slot(RankId rank, std::uint64_t position) const {
  return orders_.empty() ? slot_at(run_->skeleton, shape_, rank, position) : orders_[rank.index()][position];
}

std::optional<Event> OrderStream::computing(RankId rank, std::uint64_t position) const {
  const std::vector<Encode>& owned = owned_[rank.index()];
  const std::uint64_t body = orders_.empty() ? slots() : orders_[rank.index()].size();
  if (position >= owned.size() && position - owned.size() < body)
    return event_of(slot(rank, position - owned.size()), rank);
  const bool forward = position < owned.size();
  const auto [input, m] = forward ? owned[position] : trained_[rank.index()][position - owned.size() - body];
  return computing_event(forward ? EventKind::Forward : EventKind::Backward, outline_.stages,
                         paths_.of(input.index(), m.index()).front(), m.index());
}

StageId OrderStream::stage_of_slot(RankId rank, std::uint32_t chunk) const {
  const RunChunk at = chunk_of_run(*run_, chunk);
  return paths_.on_rank(at.region, rank.index(), at.chunk);
}

std::optional<Event> OrderStream::event_of(const Slot& slot, RankId rank) const {
  const StageId stage = stage_of_slot(rank, slot.chunk);
  const auto event = [&](EventKind kind) {
    return computing_event(kind, outline_.stages, stage, slot.microbatch.index());
  };
  switch (slot.action) {
    case Action::Forward:
      return event(EventKind::Forward);
    case Action::Backward:
      return receives(stage) ? std::optional(event(EventKind::Backward)) : std::nullopt;
    case Action::BackwardInput:
      return receives(stage) ? std::optional(event(EventKind::BackwardInput)) : std::nullopt;
    case Action::BackwardWeight:
      return footprints_[outline_.stage(stage).region.index()].reduces
                 ? std::optional(event(EventKind::BackwardWeight))
                 : std::nullopt;
    case Action::ForwardBackward:
      if (!receives(stage_of_slot(rank, slot.backward_chunk))) return event(EventKind::Forward);
      Event both = event(EventKind::ForwardBackward);
      both.peer_stage = stage_of_slot(rank, slot.backward_chunk);
      both.peer_microbatch = slot.backward_microbatch;
      return both;
  }
  throw ContractBreach("unknown action");
}

std::uint32_t OrderStream::feeders(StageId stage) const {
  const Stage& at = outline_.stage(stage);
  if (at.index > 0) return 1;
  if (outline_.is_input(at.region) || at.region.index() == 0) return 0;
  const std::size_t inputs = outline_.inputs();
  return at.region.index() == inputs ? static_cast<std::uint32_t>(inputs) : 1;
}

bool OrderStream::is_fed_back(StageId stage) const {
  const Stage& at = outline_.stage(stage);
  return at.index + 1 < paths_.length(at.region.index()) || at.region.index() + 1 < outline_.regions.size();
}

std::optional<Event> OrderStream::passed_on(StageId stage, MicrobatchId microbatch) const {
  const Stage& at = outline_.stage(stage);
  const std::uint32_t m = microbatch.index();
  const std::size_t region = at.region.index();
  const auto path = paths_.of(region, m);
  if (at.index + 1 < path.size())
    return transfer_event(Comm::Send, outline_.stages, stage, path[at.index + 1], m);
  if (region + 1 == outline_.regions.size()) return std::nullopt;
  const Seam& seam = outline_.collectives.seams[region];
  return transfer_event(seam.forward, outline_.stages, stage, paths_.of(seam.downstream.index(), m).front(),
                        m);
}

std::optional<Event> OrderStream::passed_back(StageId stage, MicrobatchId microbatch,
                                              std::uint32_t feeder) const {
  const Stage& at = outline_.stage(stage);
  const std::uint32_t m = microbatch.index();
  const std::size_t region = at.region.index();
  if (at.index > 0)
    return transfer_event(Comm::RecvGrad, outline_.stages, stage, paths_.of(region, m)[at.index - 1], m);
  if (!footprints_[region].sends) return std::nullopt;
  const Seam& seam = outline_.collectives.seams[region - 1 - feeder];
  if (!seam.backward) return std::nullopt;
  return transfer_event(*seam.backward, outline_.stages, stage, paths_.of(seam.upstream.index(), m).back(),
                        m);
}

}  // namespace spillway
