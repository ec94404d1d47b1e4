// A table in memory that all ranks share: where each is, when it last moved, and when its process last ran. A
// rank that waits reads it to find out that nothing will move any more. Private to src/execute.
//
// A rank that computes moves, since its wait ends by itself. So if no rank has moved for longer than any
// message is looked at, and all look, all wait for each other, for ever. A rank that does not look is none of
// these: its process does not run.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "execute/deadline.h"

namespace spillway {

class Board {
 public:
  // All processes of `everyone` make it together. Contract: they share one machine.
  Board(MPI_Comm everyone, Deadline& deadline);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void begin(std::uint32_t action) { own().action.store(action, std::memory_order_relaxed); }
  // This rank moved at `at`, or will until then.
  void moved(Seconds at);
  // This rank waits, and its process runs.
  void looked(Seconds at);

  Seconds last_move() const;                   // of any rank
  std::vector<std::uint32_t> actions() const;  // by rank: the number of its action in its program
  // By rank: when its process was last seen to run, or said that it will until then.
  std::vector<Seconds> last_runs() const;
  std::int64_t process(std::size_t rank) const { return places_[rank].process; }  // its number

 private:
  struct Place {
    std::atomic<double> moved, looked;
    std::atomic<std::uint32_t> action;
    std::int64_t process;
  };
  Place& own() { return places_[rank_]; }

  Deadline& deadline_;
  MPI_Win window_;
  Place* places_;
  std::size_t ranks_, rank_;
};

}  // namespace spillway
