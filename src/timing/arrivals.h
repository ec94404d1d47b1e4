// What has arrived at a stage and was not yet taken, by turn: a window over the microbatches under way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace spillway {

template <class Value>
class Arrivals {
 public:
  // Each turn once, in any order.
  void put(std::uint32_t turn, Value value) {
    while (turn - first_ >= places_.size()) widen();
    place(turn) = {value, State::Here};
  }

  // Null where nothing has arrived.
  const Value* find(std::uint32_t turn) const {
    if (turn - first_ >= places_.size()) return nullptr;
    const Place& at = places_[turn & (places_.size() - 1)];
    return at.state == State::Here ? &at.value : nullptr;
  }

  // Contract: found.
  void take(std::uint32_t turn) {
    place(turn).state = State::Taken;
    while (place(first_).state == State::Taken) place(first_++).state = State::Nothing;
  }

 private:
  enum class State : std::uint8_t { Nothing, Here, Taken };
  struct Place {
    Value value;
    State state;
  };
  static constexpr std::size_t kFewest = 4;

  Place& place(std::uint32_t turn) { return places_[turn & (places_.size() - 1)]; }

  void widen() {
    std::vector<Place> wider(std::max(kFewest, 2 * places_.size()), Place{{}, State::Nothing});
    for (std::uint32_t i = 0; i < places_.size(); ++i)
      wider[(first_ + i) & (wider.size() - 1)] = place(first_ + i);
    places_ = std::move(wider);
  }

  std::uint32_t first_ = 0;    // turn that was not taken
  std::vector<Place> places_;  // a power of two of them, by turn
};

}  // namespace spillway
