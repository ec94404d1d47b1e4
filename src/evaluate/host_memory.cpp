#include "evaluate/host_memory.h"

#include <string>

#include "base/memory.h"

namespace spillway {
namespace {

// A slot is a microbatch on a rank, about four events; a lane is a replica that is timed by itself.
constexpr double kPerSlot = 360, kPerSlotAndLane = 420;
// Of SimGrid: a rank's host and actor, and its part in reductions over replicas.
constexpr double kPerHost = 60e3, kPerReplicatedHost = 200e3;

}  // namespace

double evaluation_bytes(const Experiment& folded, const Engines& engines) {
  const auto [ranks, microbatches, replicas] = folded.pipeline;
  const double slots = static_cast<double>(ranks) * microbatches, lanes = replicas;
  const double held =
      static_cast<double>(folded.schedules.size()) * slots * (kPerSlot + kPerSlotAndLane * lanes);
  const double hosts = engines.simgrid ? ranks * lanes * (replicas > 1 ? kPerReplicatedHost : kPerHost) : 0;
  return held + hosts;
}

void require_host_memory(const Experiment& folded, const Engines& engines) {
  const auto [ranks, microbatches, replicas] = folded.pipeline;
  require_memory("the timelines of " + std::to_string(folded.schedules.size()) + " schedules over " +
                     std::to_string(ranks) + " ranks, " + std::to_string(microbatches) +
                     " microbatches and " + std::to_string(replicas) + " replicas" +
                     (engines.simgrid ? ", by SimGrid too," : ""),
                 evaluation_bytes(folded, engines));
}

void require_order_memory(const Pipeline& folded) {
  const double slots = static_cast<double>(folded.ranks) * folded.microbatches;
  require_memory("orders of " + std::to_string(folded.ranks) + " ranks and " +
                     std::to_string(folded.microbatches) + " microbatches",
                 slots * (kPerSlot + kPerSlotAndLane));
}

}  // namespace spillway
