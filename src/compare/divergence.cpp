#include "compare/divergence.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/step/activity.h"

namespace spillway {
namespace {

// The work of an event, and its place. Fields without meaning for its kind are 0. Ranks are last, so that
// keys that differ only in ranks are neighbours when sorted.
struct EventKey {
  EventKind kind;
  std::uint32_t region = 0, stage = 0, microbatch = 0;
  std::uint32_t peer_region = 0, peer_stage = 0, peer_microbatch = 0;
  std::uint32_t rank = 0, peer_rank = 0;

  friend auto operator<=>(const EventKey&, const EventKey&) = default;
};

// Numbers the regions of two runs, so that regions with the same name have the same number.
class RegionNumbers {
 public:
  RegionNumbers(const Outline& a, const Outline& b);

  // Returns the number of a stage's region and the stage's index in it. If the runs share no name, returns 0
  // and the stage's index over all regions.
  std::pair<std::uint32_t, std::uint32_t> of(const Outline& run, StageId id) const;

 private:
  std::map<std::string, std::uint32_t> known_;
  bool shared_;
};

// The events of a run with their keys, sorted for search. Contract: `side` outlives this object.
class KeyedEvents {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  KeyedEvents(const SideEvents& side, const RegionNumbers& regions);

  std::uint32_t count() const { return static_cast<std::uint32_t>(keys_.size()); }
  std::uint32_t lanes() const { return side_.timeline.end.lanes(); }
  const Outline& outline() const { return *side_.derived; }
  const EventKey& key(std::uint32_t event) const { return keys_[event]; }
  const Event& event(std::uint32_t id) const { return side_.derived->order.event(EventId(id)); }
  EventTimes times(std::uint32_t id, std::uint32_t lane) const;

  // Returns the event with this key, or kNone.
  std::uint32_t find(const EventKey& key) const;
  // Returns the first event whose key differs in ranks at most, or kNone.
  std::uint32_t find_on_any_rank(EventKey key) const;

 private:
  struct Named {
    EventKey key;
    std::uint32_t event;
  };

  EventKey key_of(const Event& event) const;
  // Returns the first entry whose key is not less than `key`.
  std::vector<Named>::const_iterator first_from(const EventKey& key) const;

  const SideEvents& side_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // by stage
  std::vector<EventKey> keys_;                                   // by event
  std::vector<Named> sorted_;
};

std::uint32_t stages_of(const Outline& run, std::size_t region) {
  std::uint32_t count = 0;
  for (const Stage& stage : run.stages)
    if (stage.region.index() == region) count = std::max(count, stage.index + 1);
  return count;
}

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

// Returns "forward of microbatch 3 in stage 1 of llm".
std::string words_for(const Outline& run, const Event& event) {
  std::string words(to_string(activity_of(run, event)));
  if (event.kind == EventKind::StepBarrier) return "end of the step";
  if (!event.in_group()) words += " of microbatch " + std::to_string(event.microbatch.index() + 1);
  words += (event.kind == EventKind::Collective ? " from stage " : " in stage ") +
           std::to_string(run.stage(event.stage).index) + " of " + run.region_of(event.stage).name;
  if (event.kind == EventKind::Collective)
    words += " to stage " + std::to_string(run.stage(event.peer_stage).index) + " of " +
             run.region_of(event.peer_stage).name;
  return words;
}

// Looks up each event of one side on the other, and finds the earliest one that differs.
class Parting {
 public:
  Parting(const KeyedEvents& a, const KeyedEvents& b, Seconds longer) : a_(a), b_(b), longer_(longer) {}

  std::optional<Divergence> find() {
    const std::uint32_t lanes = std::min(a_.lanes(), b_.lanes());
    for (std::uint32_t event = 0; event < a_.count(); ++event) {
      const std::uint32_t there = b_.find(a_.key(event));
      for (std::uint32_t lane = 0; lane < lanes; ++lane) hold(event, there, lane);
    }
    for (std::uint32_t event = 0; event < b_.count(); ++event)
      if (a_.find(b_.key(event)) == KeyedEvents::kNone)
        for (std::uint32_t lane = 0; lane < lanes; ++lane) hold_alone(event, lane);
    return std::move(first_);
  }

 private:
  bool differ(const EventTimes& a, const EventTimes& b) const {
    const auto apart = [&](Seconds x, Seconds y) {
      return std::abs((x - y).value()) > kRoundingShare * longer_.value();
    };
    return apart(a.start, b.start) || apart(a.end, b.end);
  }

  bool is_first(const EventTimes& times) {
    const auto at = std::tuple(times.start, times.end);
    if (first_ && at >= at_) return false;
    at_ = at;
    return true;
  }

  void hold(std::uint32_t event, std::uint32_t there, std::uint32_t lane) {
    const EventTimes times = a_.times(event, lane);
    if (there != KeyedEvents::kNone && !differ(times, b_.times(there, lane))) return;
    if (!is_first(times)) return;
    const std::uint32_t elsewhere = there == KeyedEvents::kNone ? b_.find_on_any_rank(a_.key(event)) : there;
    first_ =
        Divergence{words_for(a_.outline(), a_.event(event)), ReplicaId(lane), times,
                   elsewhere == KeyedEvents::kNone ? std::nullopt : std::optional(b_.times(elsewhere, lane))};
  }

  void hold_alone(std::uint32_t event, std::uint32_t lane) {
    const EventTimes times = b_.times(event, lane);
    if (!is_first(times)) return;
    const std::uint32_t elsewhere = a_.find_on_any_rank(b_.key(event));
    first_ = Divergence{
        words_for(b_.outline(), b_.event(event)), ReplicaId(lane),
        elsewhere == KeyedEvents::kNone ? std::nullopt : std::optional(a_.times(elsewhere, lane)), times};
  }

  const KeyedEvents& a_;
  const KeyedEvents& b_;
  Seconds longer_;
  std::optional<Divergence> first_;
  std::tuple<Seconds, Seconds> at_;
};

}  // namespace

std::optional<Divergence> first_divergence(const SideEvents& a, const SideEvents& b) {
  const RegionNumbers regions(*a.derived, *b.derived);
  const KeyedEvents events(a, regions), others(b, regions);
  return Parting(events, others, std::max(a.timeline.makespan(), b.timeline.makespan())).find();
}

}  // namespace spillway
