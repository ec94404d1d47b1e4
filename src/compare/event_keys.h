// Events of two runs by what they do, so that each is found in the other run. Private to src/compare.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compare/divergence.h"
#include "compare/side.h"

namespace spillway {

// What an event does, and where. Fields that mean nothing for its kind are 0. Ranks stand last: keys that
// differ in nothing else are neighbours when sorted.
struct EventKey {
  EventKind kind;
  std::uint32_t region = 0, stage = 0, microbatch = 0;
  std::uint32_t peer_region = 0, peer_stage = 0, peer_microbatch = 0;
  std::uint32_t rank = 0, peer_rank = 0;

  friend auto operator<=>(const EventKey&, const EventKey&) = default;
};

// The regions of two runs by the names that they share.
class RegionNumbers {
 public:
  RegionNumbers(const Outline& a, const Outline& b);

  // Of a stage: the number of its region, and its place inside; where the runs share no name, 0 and its
  // place in all regions.
  std::pair<std::uint32_t, std::uint32_t> of(const Outline& run, StageId id) const;

 private:
  std::map<std::string, std::uint32_t> known_;
  bool shared_;
};

// Contract: `side` outlives it.
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

  // The event of this key; kNone where there is none.
  std::uint32_t find(const EventKey& key) const;
  // The first that differs in its ranks at most.
  std::uint32_t find_on_any_rank(EventKey key) const;

 private:
  struct Named {
    EventKey key;
    std::uint32_t event;
  };

  EventKey key_of(const Event& event) const;
  // The first whose key is no less.
  std::vector<Named>::const_iterator first_from(const EventKey& key) const;

  const SideEvents& side_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // by stage
  std::vector<EventKey> keys_;                                   // by event
  std::vector<Named> sorted_;
};

}  // namespace spillway
