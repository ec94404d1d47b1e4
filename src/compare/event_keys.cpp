#include "compare/event_keys.h"

#include <algorithm>
#include <tuple>

namespace spillway {
namespace {

std::uint32_t stages_of(const Outline& run, std::size_t region) {
  std::uint32_t count = 0;
  for (const Stage& stage : run.stages)
    if (stage.region.index() == region) count = std::max(count, stage.index + 1);
  return count;
}

}  // namespace

RegionNumbers::RegionNumbers(const Outline& a, const Outline& b) {
  for (const Region& region : a.regions)
    known_.emplace(region.name, static_cast<std::uint32_t>(known_.size()));
  shared_ = std::any_of(b.regions.begin(), b.regions.end(),
                        [&](const Region& region) { return known_.contains(region.name); });
  for (const Region& region : b.regions)
    known_.emplace(region.name, static_cast<std::uint32_t>(known_.size()));
}

std::pair<std::uint32_t, std::uint32_t> RegionNumbers::of(const Outline& run, StageId id) const {
  const Stage& stage = run.stage(id);
  if (shared_) return {known_.at(run.region_of(id).name), stage.index};
  std::uint32_t before = 0;
  for (std::size_t region = 0; region < stage.region.index(); ++region) before += stages_of(run, region);
  return {0, before + stage.index};
}

KeyedEvents::KeyedEvents(const SideEvents& side, const RegionNumbers& regions) : side_(side) {
  for (std::uint32_t stage = 0; stage < outline().stages.size(); ++stage)
    places_.push_back(regions.of(outline(), StageId(stage)));
  for (const Event& event : side.derived->order.events()) keys_.push_back(key_of(event));
  for (std::uint32_t event = 0; event < keys_.size(); ++event) sorted_.push_back({keys_[event], event});
  std::sort(sorted_.begin(), sorted_.end(), [](const Named& a, const Named& b) {
    return std::tie(a.key, a.event) < std::tie(b.key, b.event);
  });
}

EventTimes KeyedEvents::times(std::uint32_t id, std::uint32_t lane) const {
  return {event(id).rank, side_.timeline.start.at(EventId(id), lane),
          side_.timeline.end.at(EventId(id), lane)};
}

std::vector<KeyedEvents::Named>::const_iterator KeyedEvents::first_from(const EventKey& key) const {
  return std::lower_bound(sorted_.begin(), sorted_.end(), key,
                          [](const Named& named, const EventKey& wanted) { return named.key < wanted; });
}

std::uint32_t KeyedEvents::find(const EventKey& key) const {
  const auto at = first_from(key);
  return at == sorted_.end() || at->key != key ? kNone : at->event;
}

std::uint32_t KeyedEvents::find_on_any_rank(EventKey key) const {
  key.rank = key.peer_rank = 0;
  const auto at = first_from(key);
  if (at == sorted_.end()) return kNone;
  EventKey there = at->key;
  there.rank = there.peer_rank = 0;
  return there == key ? at->event : kNone;
}

EventKey KeyedEvents::key_of(const Event& event) const {
  EventKey key{.kind = event.kind};
  if (event.kind == EventKind::StepBarrier) return key;
  std::tie(key.region, key.stage) = places_[event.stage.index()];
  key.rank = event.rank.index();
  if (!event.in_group()) key.microbatch = event.microbatch.index();
  if (event.kind != EventKind::Collective && event.kind != EventKind::ForwardBackward) return key;
  std::tie(key.peer_region, key.peer_stage) = places_[event.peer_stage.index()];
  if (event.kind == EventKind::Collective)
    key.peer_rank = event.peer_rank.index();
  else
    key.peer_microbatch = event.peer_microbatch.index();
  return key;
}

}  // namespace spillway
