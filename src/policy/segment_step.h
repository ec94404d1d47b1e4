// A step of a pipeline in segments, as two queues on each rank order it. Private to src/policy.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policy/segment_search.h"
#include "policy/waiting_line.h"

namespace spillway {

// Made once, run for many priorities: what it allocates it keeps. Items are numbered through, segment by
// segment. O(passes x ranks) a run.
class SegmentStep {
 public:
  SegmentStep(const SegmentShape& shape, const SegmentTimes& times);

  // By priority of each item, a permutation: of forwards that can begin at once the lowest goes first. When
  // the last item ends; never, where parts of too many microbatches are in flight for any to be whole, or as
  // soon as it is known that this is not before `limit`.
  Seconds run(const std::vector<std::uint32_t>& priorities, Seconds limit = kNever);

  // Of the last run.
  std::vector<RankOrder> orders() const;

 private:
  // Forwards of all items, and then their backwards.
  struct Pass {
    std::uint32_t segment, number;
    std::uint32_t then;   // what follows at the end of the ranks: the first of them, if there are several
    std::uint32_t count;  // of them; none at the end of the step
  };

  struct HeldBack {
    Seconds since;
    std::uint32_t pass;
  };

  struct Rank {
    std::array<WaitingLine, 2> waiting;  // forwards, backwards
    std::vector<HeldBack> held_back;     // of the first segment, while as many are in flight as may be
    std::uint32_t in_flight;
    Seconds free_at;
    Seconds left;              // of its work
    std::uint32_t last, next;  // forward or backward: what it took, and takes in its turn
  };

  struct Taken {
    std::uint32_t rank, pass;
  };

  void number_passes();
  void begin_anew();
  void take_turns(std::uint32_t at);
  std::uint32_t first_to_begin() const;
  Seconds advance(std::uint32_t at);
  void pass_on(std::uint32_t pass, Seconds end);
  void offer(std::uint32_t at, std::uint32_t pass, Seconds since);
  void let_in(std::uint32_t at, Seconds time);

  std::uint32_t direction(std::uint32_t pass) const { return pass < items_ ? 0 : 1; }

  SegmentShape shape_;
  Seconds transfer_;
  std::uint32_t most_in_flight_;
  std::uint32_t items_ = 0;
  std::vector<Pass> passes_;
  std::vector<Seconds> takes_;                         // by pass and rank
  std::vector<Seconds> work_;                          // by rank
  std::vector<std::uint32_t> priority_;                // by pass
  std::array<std::vector<std::uint32_t>, 2> pass_of_;  // by direction and priority
  std::vector<Rank> ranks_;
  std::vector<Seconds> begins_;  // the next turn of each rank
  std::vector<std::uint32_t> missing_;
  std::vector<Taken> taken_;
};

}  // namespace spillway
