// A value for each event of an order and each lane: durations before an engine runs, times after. A lane is
// one data-parallel replica of the order under one draw.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/cache_lines.h"
#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

// A value per event and lane; the lanes of an event are adjacent.
template <class Value>
class PerEvent {
 public:
  PerEvent() = default;
  PerEvent(std::size_t events, std::uint32_t lanes) : lanes_(lanes), values_(events * lanes) {}

  std::uint32_t lanes() const { return lanes_; }
  std::size_t events() const { return lanes_ == 0 ? 0 : values_.size() / lanes_; }

  Value& at(EventId event, std::uint32_t lane) { return values_[std::size_t{event.index()} * lanes_ + lane]; }
  Value at(EventId event, std::uint32_t lane) const {
    return values_[std::size_t{event.index()} * lanes_ + lane];
  }
  void fill(EventId event, Value value) {
    std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(std::size_t{event.index()} * lanes_), lanes_,
                value);
  }

  std::span<Value> flat() { return values_; }
  std::span<const Value> flat() const { return values_; }

 private:
  std::uint32_t lanes_ = 0;
  AlignedVector<Value> values_;
};

using Durations = PerEvent<Seconds>;

}  // namespace spillway
