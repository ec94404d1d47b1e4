#include "execute/board.h"

#include <unistd.h>

#include <algorithm>
#include <new>

#include "execute/clock.h"

namespace spillway {

static_assert(std::atomic<double>::is_always_lock_free, "processes share the table");

// The first process holds the table.
Board::Board(MPI_Comm everyone, Deadline& deadline) : deadline_(deadline) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(everyone, &ranks);
  MPI_Comm_rank(everyone, &rank);
  ranks_ = static_cast<std::size_t>(ranks);
  rank_ = static_cast<std::size_t>(rank);
  const MPI_Aint bytes = rank == 0 ? static_cast<MPI_Aint>(ranks_ * sizeof(Place)) : 0;
  MPI_Win_allocate_shared(bytes, sizeof(Place), MPI_INFO_NULL, everyone, &places_, &window_);
  MPI_Aint size = 0;
  int unit = 0;
  MPI_Win_shared_query(window_, 0, &size, &unit, &places_);
  new (&own()) Place{{now().value()}, {now().value()}, {0}, ::getpid()};
  MPI_Barrier(everyone);
}

Board::~Board() {
  MPI_Win_free(&window_);
}

void Board::moved(Seconds at) {
  own().moved.store(at.value(), std::memory_order_relaxed);
  deadline_.busy_until(at);
}

void Board::looked(Seconds at) {
  own().looked.store(at.value(), std::memory_order_relaxed);
  deadline_.busy_until(at);
}

Seconds Board::last_move() const {
  double last = 0;
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    last = std::max(last, places_[rank].moved.load(std::memory_order_relaxed));
  return Seconds(last);
}

std::vector<std::uint32_t> Board::actions() const {
  std::vector<std::uint32_t> actions;
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    actions.push_back(places_[rank].action.load(std::memory_order_relaxed));
  return actions;
}

std::vector<Seconds> Board::last_runs() const {
  std::vector<Seconds> runs;
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    runs.emplace_back(std::max(places_[rank].moved.load(std::memory_order_relaxed),
                               places_[rank].looked.load(std::memory_order_relaxed)));
  return runs;
}

}  // namespace spillway
