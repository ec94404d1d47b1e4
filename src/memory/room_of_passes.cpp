#include "memory/room_of_passes.h"

#include <algorithm>

#include "memory/lifetime.h"

namespace spillway {
namespace {

// The same sum in another order may differ by this much.
constexpr double kSameSum = 1 + 1e-12;

// Returns what a rank holds while no pass runs: model states and workspace.
Bytes at_rest(const Derived& derived, RankId rank, const Footprints& footprints) {
  Bytes bytes = footprints.workspace(rank);
  for (std::uint32_t id = 0; id < derived.stages.size(); ++id)
    if (derived.stages[id].rank == rank) {
      const ModelState state = footprints.model_state(StageId(id));
      bytes += state.parameters + state.gradients + state.optimizer;
    }
  return bytes;
}

}  // namespace

TaskRoom room_of_passes(const Derived& derived, std::span<const std::uint32_t> passes,
                        std::span<const Footprints* const> draws, Bytes limit) {
  TaskRoom room;
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
    room.of_rank.push_back(limit * kSameSum - at_rest(derived, RankId(rank), *draws.front()));
  for (const std::uint32_t pass : passes) {
    const Event& event = derived.order.event(EventId(pass));
    if (event.kind == EventKind::ForwardBackward) return {};
    Bytes at_start, meanwhile, given_back;
    for (const Footprints* const draw : draws)
      for (std::uint32_t replica = 0; replica < derived.pipeline.replicas; ++replica) {
        const Change change = changes_of(event, [&](StageId stage, MicrobatchId microbatch) {
          return draw->held(stage, microbatch, ReplicaId(replica));
        })[0];
        const Bytes kept = std::max(Bytes(), change.at_end);  // for a weight gradient
        at_start = std::max(at_start, change.at_start + kept);
        meanwhile = std::max(meanwhile, change.meanwhile + change.workspace - kept);
        given_back = std::max(given_back, kept - change.at_end);
      }
    room.at_start.push_back(at_start);
    room.meanwhile.push_back(meanwhile);
    room.at_end.push_back(Bytes() - given_back);
    room.group.push_back(event.microbatch.index());
  }
  return room;
}

}  // namespace spillway
