#include "derive/compute_events.h"

#include <algorithm>

#include "derive/stages.h"
#include "derive/step_events.h"

namespace spillway {
namespace {

// The number of replicas that advance together in this stage: the largest of its blocks.
std::uint32_t joined_replicas(const OrderParts& parts, const Stage& stage) {
  std::uint32_t joined = 1;
  for (std::size_t block = 0; block < parts.options.joined_replicas.size(); ++block) {
    if (parts.model.part_of(block, stage.layers).size() == 0) continue;
    joined = std::max(joined, parts.options.joined_replicas[block]);
  }
  return joined;
}

}  // namespace

ComputeEvents::ComputeEvents(const OrderParts& parts, OrderBuilder& builder) : parts_(parts) {
  std::uint32_t places = 0;
  for (std::size_t region = 0; region < parts.regions(); ++region) {
    rows_.push_back({places, parts.paths.length(region)});
    places += parts.paths.length(region) * parts.microbatches();
  }
  split_.assign(places, false);
  partner_.assign(places, std::nullopt);
  paired_.assign(places, false);
  for (auto* events : {&forward_, &backward_, &weight_}) events->assign(places, kNoEvent);
  for (const Stage& stage : parts.stages) joined_.push_back(joined_replicas(parts, stage));
  note_bodies();
  for (std::size_t region = 0; region < parts.regions(); ++region) add_region(region, builder);
}

std::vector<ComputeEvents::Visit> ComputeEvents::visits(std::size_t region, bool backward) const {
  std::vector<Visit> all;
  all.reserve(std::size_t{parts_.microbatches()} * rows_[region].length);
  for (std::uint32_t m = 0; m < parts_.microbatches(); ++m) {
    for (StageId stage : backward ? parts_.paths.back(region, m) : parts_.paths.of(region, m))
      all.push_back({stage, m});
  }
  return all;
}

// Notes the backwards that are split, and those that run together with a forward. The body's slots say so;
// without a body, the skeleton decides for all.
void ComputeEvents::note_bodies() {
  for (const Body& body : parts_.bodies) {
    for (std::uint32_t rank = 0; rank < body.orders.size(); ++rank) {
      for (const Slot& slot : body.orders[rank]) note(body, rank, slot);
    }
    if (!body.orders.empty() || !splits_backward(body.skeleton)) continue;
    for (std::size_t region : body.regions) {
      for (const Visit& visit : visits(region)) split_[place(visit.stage, visit.m)] = true;
    }
  }
}

void ComputeEvents::note(const Body& body, std::uint32_t rank, const Slot& slot) {
  const StageId stage = parts_.stage_of_slot(body, rank, slot.chunk);
  const std::size_t own = place(stage, slot.microbatch.index());
  if (slot.action == Action::BackwardInput) {
    split_[own] = true;
    const std::uint32_t m = slot.microbatch.index();
    if (const auto behind = parts_.in_place_behind(stage, m)) split_[place(*behind, m)] = true;
  }
  if (slot.action == Action::ForwardBackward) {
    const Visit backward{parts_.stage_of_slot(body, rank, slot.backward_chunk),
                         slot.backward_microbatch.index()};
    if (!parts_.footprints[parts_.stage(backward.stage).region.index()].receives) return;
    partner_[own] = backward;
    paired_[place(backward.stage, backward.m)] = true;
  }
}

Event ComputeEvents::event_of(EventKind kind, Visit visit) const {
  Event event = computing_event(kind, parts_.stages, visit.stage, visit.m);
  event.joined_replicas = joined_[visit.stage.index()];
  return event;
}

Event ComputeEvents::overlapped(Visit forward, Visit backward) const {
  Event event = event_of(EventKind::ForwardBackward, forward);
  event.peer_stage = backward.stage;
  event.peer_microbatch = MicrobatchId(backward.m);
  event.joined_replicas = std::max(event.joined_replicas, joined_[backward.stage.index()]);
  return event;
}

// Adds forwards, then backwards, then weight halves, each by microbatch and stage.
void ComputeEvents::add_region(std::size_t region, OrderBuilder& builder) {
  const BackwardFootprint& footprint = parts_.footprints[region];
  for (const Visit& visit : visits(region)) {
    const std::size_t own = place(visit.stage, visit.m);
    if (const auto& backward = partner_[own]) {
      forward_[own] = builder.add(overlapped(visit, *backward));
      backward_[place(backward->stage, backward->m)] = forward_[own];
    } else {
      forward_[own] = builder.add(event_of(EventKind::Forward, visit));
    }
  }
  if (!footprint.receives) return;
  const std::vector<Visit> all = visits(region, true);
  for (const Visit& visit : all) {
    const std::size_t own = place(visit.stage, visit.m);
    if (paired_[own]) continue;
    backward_[own] =
        builder.add(event_of(split_[own] ? EventKind::BackwardInput : EventKind::Backward, visit));
  }
  if (!footprint.reduces) return;
  for (const Visit& visit : all) {
    const std::size_t own = place(visit.stage, visit.m);
    if (split_[own]) weight_[own] = builder.add(event_of(EventKind::BackwardWeight, visit));
  }
}

}  // namespace spillway
