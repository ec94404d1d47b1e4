// A step of a pipeline in segments, ordered by two queues on each rank. Private to src/optimize.
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

// A queue of a rank in one direction: passes that have arrived, by priority, and passes to come, by time.
// Each priority below `priorities` comes once, mostly later than the one before. The search for the lowest
// priority looks at 64 at a time, from the lowest that may be there. It is short if priorities rise with
// time.
class WaitingLine {
 public:
  explicit WaitingLine(std::uint32_t priorities) : there_(priorities / 64 + 1), coming_(8) { clear(); }
  WaitingLine(const WaitingLine&) = default;
  // Contract: both have as many priorities. Passes that were taken are not copied.
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

  // Returns true if the same passes wait in both, each since the same time.
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

  // Returns when a rank that is free from `time` on can take a pass.
  Seconds begin(Seconds time) const { return Seconds(std::max(time.value(), soonest_.value())); }

  // Takes the lowest priority that is there at `time`. Contract: there is one.
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
  std::uint32_t count_, lowest_;      // number of bits set; words before this one have none
  std::uint32_t next_, end_;          // passes to come; the one at end_ never comes
  std::vector<std::uint64_t> there_;  // a bit for each priority
  std::vector<Coming> coming_;        // in ascending order of time
};

// Runs the step for many sets of priorities and keeps its buffers. Items are numbered segment by segment. A
// run takes O(passes x ranks), less the turns that it shares with the kept run.
class SegmentStep {
 public:
  SegmentStep(const SegmentShape& shape, const SegmentTimes& times);

  // Runs the step and returns when the last item ends. `priorities` has the priority of each item, a
  // permutation: among forwards that can begin at once, the lowest goes first. Returns kNever if parts of too
  // many microbatches are in flight for any to be whole, or as soon as the end is known not to be before
  // `limit`.
  Seconds run(const std::vector<std::uint32_t>& priorities, Seconds limit = kNever);

  // Keeps the last run. Later runs begin where they first differ from it. Contract: the last run was
  // completed.
  void keep();

  // Returns the orders of the kept run.
  std::vector<RankOrder> orders() const;

 private:
  // A pass of an item: first the forwards of all items, then their backwards.
  struct Pass {
    std::uint32_t segment, number;
    std::uint32_t then;   // the first pass that follows at the end of the ranks
    std::uint32_t count;  // the number of these passes; 0 at the end of the step
  };

  struct Rank {
    std::array<WaitingLine, 2> waiting;  // forwards, backwards
    Seconds free_at;
    Seconds left;              // time of its passes to come
    std::uint32_t last, next;  // the direction that it took last, and takes next
  };

  struct Taken {
    std::uint32_t rank, pass;
  };

  // The progress of a run.
  struct Progress {
    std::vector<Rank> ranks;
    std::vector<Seconds> begins;  // the next turn of each rank
    std::vector<std::uint32_t> missing;
    std::size_t let_in = 0;  // number of passes let in that were held back
  };

  // A run, as far as later runs need it.
  struct Record {
    std::vector<std::uint32_t> priorities;  // of forwards
    std::vector<Taken> taken;
    std::vector<std::size_t> offered;  // by forward: turns taken before it was offered to the first rank
    std::vector<Progress> marks;       // every mark_every_ turns, from the first on
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
  // Forwards of the first segment, by priority, that wait until fewer are in flight.
  std::vector<std::uint32_t> held_back_;
  std::vector<std::uint32_t> changed_;  // passes whose priority differs from the kept run
  Progress now_;
  Record run_, kept_;
};

}  // namespace spillway
