#include <algorithm>

#include "base/error.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/keeper.h"
#include "sweep/run/thread_team.h"
#include "sweep/run/workers.h"

namespace spillway {

void compute_in_threads(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                        const Keep& keep) {
  ensure(jobs > 0, "points are computed by at least one thread");
  const CaughtSignals signals;
  ThreadTeam team(static_cast<unsigned>(std::min<std::size_t>(jobs, points.size())), compute);
  team.give(points);
  team.close();
  Keeper keeper(keep);
  while (!team.ended()) {
    if (signals.arrived()) team.stop();
    keeper.add(team.take(kKeepEvery / 2));
  }
  keeper.flush();
  if (const auto fault = team.fault()) std::rethrow_exception(fault);
  if (signals.arrived()) throw Interrupted();
}

}  // namespace spillway
