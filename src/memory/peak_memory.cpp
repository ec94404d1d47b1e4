#include "memory/peak_memory.h"

#include "memory/lifetime.h"

namespace spillway {
namespace {

std::vector<ModelState> states_by_rank(const Derived& derived, const CostModel& costs) {
  std::vector<ModelState> states(derived.order.rank_count());
  for (std::uint32_t i = 0; i < derived.stages.size(); ++i)
    states[derived.stages[i].rank.index()] += costs.model_state(derived, StageId(i));
  return states;
}

// By rank: what it holds outside of computing events.
std::vector<MemoryParts> resting_parts(const Derived& derived, const CostModel& costs) {
  std::vector<MemoryParts> resting;
  for (const ModelState& state : states_by_rank(derived, costs)) {
    const RankId rank(static_cast<std::uint32_t>(resting.size()));
    resting.push_back({.state = state, .workspace = costs.workspace(derived, rank)});
  }
  return resting;
}

// Calls visit(event, during, after) for each computing event of a rank.
template <class Visit>
void walk(const Derived& derived, const CostModel& costs, RankId rank, ReplicaId replica,
          const MemoryParts& resting, Visit visit) {
  const auto held_of = [&](StageId stage, MicrobatchId microbatch) {
    return costs.held(derived, stage, microbatch, replica);
  };
  MemoryParts live = resting;
  const auto part_of = [&](StageId stage) -> Bytes& {
    const Layout layout = derived.placement[derived.stage(stage).region.index()].layout;
    return layout == Layout::Sharded ? live.activations : live.transposed;
  };
  for (EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    const auto changes = changes_of(event, held_of);
    for (const Change& change : changes) part_of(change.stage) += change.at_start;
    MemoryParts during = live;
    for (const Change& change : changes) {
      during.working += change.meanwhile;
      during.workspace += change.workspace;
      part_of(change.stage) += change.at_end;
    }
    visit(id, during, live);
  }
}

}  // namespace

std::vector<MemoryStep> memory_over_step(const Derived& derived, const CostModel& costs, RankId rank,
                                         ReplicaId replica) {
  std::vector<MemoryStep> steps;
  const MemoryParts resting = resting_parts(derived, costs)[rank.index()];
  walk(derived, costs, rank, replica, resting,
       [&](EventId event, const MemoryParts& during, const auto& after) {
         steps.push_back({event, during, after});
       });
  return steps;
}

std::vector<std::vector<MemoryLevel>> memory_over_time(const Derived& derived, const CostModel& costs,
                                                       const Timeline& timeline, ReplicaId replica) {
  std::vector<std::vector<MemoryLevel>> levels;
  for (const MemoryParts& resting : resting_parts(derived, costs)) {
    const RankId rank(static_cast<std::uint32_t>(levels.size()));
    std::vector<MemoryLevel>& of_rank = levels.emplace_back();
    of_rank.push_back({Seconds(), resting.total()});
    walk(derived, costs, rank, replica, resting,
         [&](EventId event, const MemoryParts& during, const MemoryParts& after) {
           of_rank.push_back({timeline.start.at(event, replica.index()), during.total()});
           of_rank.push_back({timeline.end.at(event, replica.index()), after.total()});
         });
  }
  return levels;
}

std::vector<PeakMemory> peak_memory(const Derived& derived, const CostModel& costs,
                                    const Timeline& timeline) {
  const std::vector<MemoryParts> resting = resting_parts(derived, costs);
  std::vector<PeakMemory> peaks;
  for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; ++lane) {
    for (std::uint32_t rank = 0; rank < resting.size(); ++rank) {
      PeakMemory peak{ReplicaId(lane), RankId(rank), resting[rank], Seconds()};
      const auto keep_larger = [&](EventId event, const MemoryParts& during, const MemoryParts&) {
        if (during.total() <= peak.parts.total()) return;
        peak.parts = during;
        peak.when = timeline.start.at(event, lane);
      };
      walk(derived, costs, RankId(rank), ReplicaId(lane), resting[rank], keep_larger);
      peaks.push_back(peak);
    }
  }
  return peaks;
}

}  // namespace spillway
