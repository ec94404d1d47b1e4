// What waits for one rank in one direction: by priority what is there, by time what is still to come. Private
// to src/optimize.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/quantity.h"

namespace spillway {

inline constexpr Seconds kNever(std::numeric_limits<double>::infinity());

// Each priority below `priorities` comes once, most of them later than what came before. Sixty-four are
// looked through at a time, from the lowest that may be there: little where priorities rise with time.
class WaitingLine {
 public:
  explicit WaitingLine(std::uint32_t priorities) : there_(priorities / 64 + 1), coming_(8) { clear(); }
  WaitingLine(const WaitingLine&) = default;
  // Of as many priorities. What was taken is not copied.
  WaitingLine& operator=(const WaitingLine& other) {
    std::copy(other.there_.begin(), other.there_.end(), there_.begin());
    soonest_ = other.soonest_;
    count_ = other.count_;
    lowest_ = other.lowest_;
    next_ = 0;
    end_ = other.end_ - other.next_;
    if (coming_.size() <= end_) coming_.resize(other.coming_.size());
    std::copy_n(other.coming_.begin() + other.next_, end_ + 1, coming_.begin());
    return *this;
  }

  // Does the same wait, each since when it does there?
  bool waits_as(const WaitingLine& other) const {
    const auto as_there = [](const Coming& a, const Coming& b) {
      return a.since == b.since && a.priority == b.priority;
    };
    return soonest_ == other.soonest_ && end_ - next_ == other.end_ - other.next_ &&
           std::equal(coming_.begin() + next_, coming_.begin() + end_, other.coming_.begin() + other.next_,
                      as_there) &&
           there_ == other.there_;
  }

  bool has(std::uint32_t priority) const {
    return (there_[priority / 64] >> priority % 64 & 1) != 0 ||
           std::any_of(coming_.begin() + next_, coming_.begin() + end_,
                       [&](const Coming& one) { return one.priority == priority; });
  }

  void clear() {
    std::fill(there_.begin(), there_.end(), 0);
    soonest_ = coming_.front().since = kNever;
    next_ = end_ = count_ = lowest_ = 0;
  }

  void add(Seconds since, std::uint32_t priority) {
    if (next_ == end_) next_ = end_ = 0;
    std::uint32_t at = end_++;
    if (end_ == coming_.size()) coming_.resize(std::size_t{2} * end_);
    for (; at > next_ && coming_[at - 1].since.value() > since.value(); --at) coming_[at] = coming_[at - 1];
    coming_[at] = {since, priority};
    coming_[end_].since = kNever;
    soonest_ = Seconds(std::min(soonest_.value(), since.value()));
  }

  // When one can be taken, by a rank that is free from `time` on.
  Seconds begin(Seconds time) const { return Seconds(std::max(time.value(), soonest_.value())); }

  // The lowest that is there at `time`. Contract: one is.
  std::uint32_t take(Seconds time) {
    for (; coming_[next_].since.value() <= time.value(); ++next_) put(coming_[next_].priority);
    while (there_[lowest_] == 0) ++lowest_;
    std::uint64_t& word = there_[lowest_];
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(word));
    word &= word - 1;
    soonest_ = --count_ > 0 ? time : coming_[next_].since;
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

  Seconds soonest_;                   // nothing can be taken before
  std::uint32_t count_, lowest_;      // bits set; words before it have none
  std::uint32_t next_, end_;          // of those to come; behind them stands one that never does
  std::vector<std::uint64_t> there_;  // a bit each
  std::vector<Coming> coming_;        // the first to come first
};

}  // namespace spillway
