#include "execute/watch.h"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdlib>

#include "execute/clock.h"
#include "report/order/blocked_action.h"

namespace spillway {

void Watch::look() {
  constexpr Seconds kBetweenLooks = milliseconds(100);
  const Seconds at = now();
  if (at < next_look_) return;
  next_look_ = at + kBetweenLooks;
  if (at > board_.last_move() + patience_) end();
}

void Watch::end() const {
  std::string text = fmt::format("the program blocks for ever: no rank has moved for {:.1f} s\n",
                                 (now() - board_.last_move()).value());
  const std::vector<std::uint32_t> actions = board_.actions();
  for (std::size_t rank = 0; rank < actions.size(); ++rank) {
    const RankProgram& of = program_.programs[rank];
    text += fmt::format("  replica {}, rank {}: {}\n", of.replica.index(), of.rank.index(),
                        blocked_action(of, actions[rank]));
  }
  say_(text);
  MPI_Abort(MPI_COMM_WORLD, kBlockedStatus);
  std::abort();
}

}  // namespace spillway
