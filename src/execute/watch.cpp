#include "execute/watch.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>

#include "execute/clock.h"
#include "report/order/blocked_action.h"

namespace spillway {

void Watch::look() {
  constexpr Seconds kBetweenLooks = milliseconds(100);
  const Seconds at = now();
  if (at < next_look_) return;
  if (at > next_look_ + 0.5 * asked_) running_since_ = at;
  next_look_ = at + kBetweenLooks;
  board_.looked(at);
  if (at > std::max(board_.last_move(), running_since_) + patience_) end(at);
}

std::vector<std::size_t> Watch::silent_ranks(Seconds at) const {
  const std::vector<Seconds> runs = board_.last_runs();
  std::vector<std::size_t> silent;
  for (std::size_t rank = 0; rank < runs.size(); ++rank)
    if (at >= runs[rank] + asked_) silent.push_back(rank);
  return silent;
}

std::string Watch::reason(Seconds at, const std::vector<std::size_t>& silent) const {
  const double waited = (at - board_.last_move()).value();
  if (silent.empty())
    return fmt::format("the program blocks for ever: no rank has moved for {:.1f} s\n", waited);
  std::string text = fmt::format(
      "ended: no rank has moved for {:.1f} s, and this does not tell whether the program blocks:\n", waited);
  for (const std::size_t rank : silent) {
    const RankProgram& of = program_.programs[rank];
    text += fmt::format(
        "  the process of replica {}, rank {} (pid {}) has not run for {:.1f} s: it is stopped, or gets no "
        "processor\n",
        of.replica.index(), of.rank.index(), board_.process(rank), (at - board_.last_runs()[rank]).value());
  }
  return text;
}

void Watch::end(Seconds at) const {
  const std::vector<std::size_t> silent = silent_ranks(at);
  std::string text = reason(at, silent);
  const std::vector<std::uint32_t> actions = board_.actions();
  for (std::size_t rank = 0; rank < actions.size(); ++rank) {
    const RankProgram& of = program_.programs[rank];
    text += fmt::format("  replica {}, rank {}: {}\n", of.replica.index(), of.rank.index(),
                        blocked_action(of, actions[rank]));
  }
  say_(text);
  MPI_Abort(MPI_COMM_WORLD, silent.empty() ? kBlockedStatus : kSilentStatus);
  std::abort();
}

}  // namespace spillway
