// A table in memory that all ranks share: where each is, and when it last moved. A rank that waits reads it
// to find out that nothing will move any more. Private to src/execute.
//
// A rank that computes moves, since its wait ends by itself. So if no rank has moved for longer than any
// message is looked at, all wait for each other, for ever.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/quantity.h"

namespace spillway {

class Board {
 public:
  // All processes of `everyone` make it together. Contract: they share one machine.
  explicit Board(MPI_Comm everyone);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void begin(std::uint32_t action) { own().action.store(action, std::memory_order_relaxed); }
  // This rank moved at `at`, or will until then.
  void moved(Seconds at) { own().moved.store(at.value(), std::memory_order_relaxed); }

  Seconds last_move() const;                   // of any rank
  std::vector<std::uint32_t> actions() const;  // by rank: the number of its action in its program

 private:
  struct Place {
    std::atomic<double> moved;
    std::atomic<std::uint32_t> action;
  };
  Place& own() { return places_[rank_]; }

  MPI_Win window_;
  Place* places_;
  std::size_t ranks_, rank_;
};

}  // namespace spillway
