// A step of a pipeline in segments, as two queues on each rank order it. Private to src/optimize.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "optimize/segment_search.h"
#include "optimize/waiting_line.h"

namespace spillway {

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
