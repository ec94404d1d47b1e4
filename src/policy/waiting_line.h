// What waits for one rank in one direction: by priority what is there, by time what is still to come. Private
// to src/policy.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/quantity.h"

namespace spillway {

inline constexpr Seconds kNever(std::numeric_limits<double>::infinity());

// Each priority below `priorities` comes once. Sixty-four are looked through at a time, from the lowest that
// may be there: little where priorities rise with time.
class WaitingLine {
 public:
  explicit WaitingLine(std::uint32_t priorities) : there_(priorities / 64 + 1) { clear(); }

  void clear() {
    std::fill(there_.begin(), there_.end(), 0);
    coming_.clear();
    count_ = lowest_ = 0;
    soonest_ = kNever;
  }

  void add(Seconds since, std::uint32_t priority) {
    auto place = coming_.begin();
    while (place != coming_.end() && place->since.value() > since.value()) ++place;
    coming_.insert(place, {since, priority});
    soonest_ = std::min(soonest_, since);
  }

  // When one can be taken, by a rank that is free from `time` on.
  Seconds begin(Seconds time) const { return std::max(time, soonest_); }

  // The lowest that is there at `time`. Contract: one is.
  std::uint32_t take(Seconds time) {
    for (; !coming_.empty() && coming_.back().since.value() <= time.value(); coming_.pop_back())
      put(coming_.back().priority);
    while (there_[lowest_] == 0) ++lowest_;
    std::uint64_t& word = there_[lowest_];
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(word));
    word &= word - 1;
    if (--count_ > 0)
      soonest_ = Seconds();
    else
      soonest_ = coming_.empty() ? kNever : coming_.back().since;
    return lowest_ * 64 + bit;
  }

 private:
  struct Coming {
    Seconds since;
    std::uint32_t priority;
  };

  void put(std::uint32_t priority) {
    there_[priority / 64] |= std::uint64_t{1} << priority % 64;
    lowest_ = std::min(lowest_, priority / 64);
    ++count_;
  }

  Seconds soonest_;                   // nothing comes earlier; zero where something is there
  std::uint32_t count_, lowest_;      // bits set; words before it have none
  std::vector<std::uint64_t> there_;  // a bit each
  std::vector<Coming> coming_;        // the last to come first
};

}  // namespace spillway
