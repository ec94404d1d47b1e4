// What has arrived at a stage and was not yet taken, by turn: a window over the microbatches under way.
// Private to src/timing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace spillway {

// An instant in the runs of a step: the transposed work counted; that free; what carries its outputs free,
// too. Seconds from its start.
struct Instant {
  double counted = 0;
  double free = 0;
  double fed = 0;

  friend Instant operator+(Instant a, Instant b) {
    return {a.counted + b.counted, a.free + b.free, a.fed + b.fed};
  }
};

inline Instant later(Instant a, Instant b) {
  return {std::max(a.counted, b.counted), std::max(a.free, b.free), std::max(a.fed, b.fed)};
}

class Arrivals {
 public:
  // Each turn once, in any order.
  void put(std::uint32_t turn, Instant at) {
    while (turn - first_ >= places_.size()) widen();
    place(turn) = at;
  }

  // Null where nothing has arrived.
  const Instant* find(std::uint32_t turn) const {
    if (turn - first_ >= places_.size()) return nullptr;
    const Instant& at = places_[turn & (places_.size() - 1)];
    return at.counted < 0 ? nullptr : &at;
  }

  // Contract: found.
  void take(std::uint32_t turn) {
    place(turn).counted = kTaken;
    while (place(first_).counted == kTaken) place(first_++).counted = kNothing;
  }

 private:
  static constexpr double kNothing = -1, kTaken = -2;
  static constexpr std::size_t kFewest = 4;

  Instant& place(std::uint32_t turn) { return places_[turn & (places_.size() - 1)]; }

  void widen() {
    std::vector<Instant> wider(std::max(kFewest, 2 * places_.size()), {kNothing});
    for (std::uint32_t i = 0; i < places_.size(); ++i)
      wider[(first_ + i) & (wider.size() - 1)] = place(first_ + i);
    places_ = std::move(wider);
  }

  std::uint32_t first_ = 0;      // turn that was not taken
  std::vector<Instant> places_;  // a power of two of them, by turn
};

}  // namespace spillway
