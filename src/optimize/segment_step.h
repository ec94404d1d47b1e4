// A step of a pipeline in segments, as two queues on each rank order it. Private to src/optimize.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/quantity.h"
#include "optimize/segment_search.h"

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

// Made once, run for many priorities: what it allocates it keeps. Items are numbered through, segment by
// segment. O(passes x ranks) a run, less what is as in the run that was kept.
class SegmentStep {
 public:
  SegmentStep(const SegmentShape& shape, const SegmentTimes& times);

  // By priority of each item, a permutation: of forwards that can begin at once the lowest goes first. When
  // the last item ends; never, where parts of too many microbatches are in flight for any to be whole, or as
  // soon as it is known that this is not before `limit`.
  Seconds run(const std::vector<std::uint32_t>& priorities, Seconds limit = kNever);

  // Later runs begin where they part from the last one. Contract: it came to its end.
  void keep();

  // Of the run that was kept.
  std::vector<RankOrder> orders() const;

 private:
  // Forwards of all items, and then their backwards.
  struct Pass {
    std::uint32_t segment, number;
    std::uint32_t then;   // what follows at the end of the ranks: the first of them, if there are several
    std::uint32_t count;  // of them; none at the end of the step
  };

  struct Rank {
    std::array<WaitingLine, 2> waiting;  // forwards, backwards
    Seconds free_at;
    Seconds left;              // of its work
    std::uint32_t last, next;  // forward or backward: what it took, and takes in its turn
  };

  struct Taken {
    std::uint32_t rank, pass;
  };

  // How far a run has come.
  struct Progress {
    std::vector<Rank> ranks;
    std::vector<Seconds> begins;  // the next turn of each rank
    std::vector<std::uint32_t> missing;
    std::size_t let_in = 0;  // of those held back
  };

  // What a run did.
  struct Record {
    std::vector<std::uint32_t> priorities;  // of forwards
    std::vector<Taken> taken;
    std::vector<std::size_t> offered;  // to the first rank: how many were taken before
    std::vector<Progress> marks;       // as often as every mark_every_ turns, from the first on
    Seconds end;
  };

  void number_passes();
  void set_priorities(const std::vector<std::uint32_t>& priorities);
  std::size_t same_turns(const std::vector<std::uint32_t>& priorities);
  void begin_anew();
  void begin_at(std::size_t mark);
  void begin(std::size_t same);
  bool goes_on_as_kept(const Progress& kept) const;
  void let_first_in();
  void take_turns(std::uint32_t at);
  std::size_t first_to_begin() const;
  void advance(std::uint32_t at);
  void pass_on(std::uint32_t pass, Seconds end);
  void offer(std::uint32_t at, std::uint32_t which, std::uint32_t pass, Seconds since);
  void offer_forward(std::uint32_t pass, Seconds since);
  void let_in(Seconds time);

  std::uint32_t direction(std::uint32_t pass) const { return pass < items_ ? 0 : 1; }
  bool is_held_back(std::uint32_t pass) const { return pass >= most_in_flight_ && pass < shape_.items(0); }

  SegmentShape shape_;
  Seconds transfer_;
  std::uint32_t most_in_flight_;
  std::uint32_t items_ = 0;
  std::vector<Pass> passes_;
  std::vector<Seconds> takes_;                         // by pass and rank
  std::vector<Seconds> work_;                          // by rank
  std::size_t mark_every_ = 1, marked_from_ = 0;       // turns; the first mark of the run
  std::vector<std::uint32_t> priority_;                // by pass
  std::array<std::vector<std::uint32_t>, 2> pass_of_;  // by direction and priority
  // Of the first segment, while as many are in flight as may be; by priority.
  std::vector<std::uint32_t> held_back_;
  std::vector<std::uint32_t> changed_;  // passes of another priority than in the kept run
  Progress now_;
  Record run_, kept_;
};

}  // namespace spillway
