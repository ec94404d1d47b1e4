#include "memory/peak_memory.h"

#include <algorithm>

#include "memory/held_table.h"
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

// By rank: do its stages hold another amount for another microbatch or replica?
std::vector<bool> ranks_that_differ(const Derived& derived, const CostModel& costs) {
  std::vector<bool> differ(derived.order.rank_count(), false);
  for (std::uint32_t stage = 0; stage < derived.stages.size(); ++stage)
    if (!costs.holds_alike(derived, StageId(stage))) differ[derived.stages[stage].rank.index()] = true;
  return differ;
}

// Calls visit(event, during, after) for each computing event of a rank.
template <class Visit>
void walk(const Derived& derived, const HeldTable& held_of, RankId rank, const MemoryParts& resting,
          Visit visit) {
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
  walk(derived, HeldTable(derived, costs, replica), rank, resting,
       [&](EventId event, const MemoryParts& during, const auto& after) {
         steps.push_back({event, during, after});
       });
  return steps;
}

std::vector<std::vector<MemoryLevel>> memory_over_time(const Derived& derived, const CostModel& costs,
                                                       const Timeline& timeline, ReplicaId replica) {
  std::vector<std::vector<MemoryLevel>> levels;
  const HeldTable held(derived, costs, replica);
  for (const MemoryParts& resting : resting_parts(derived, costs)) {
    const RankId rank(static_cast<std::uint32_t>(levels.size()));
    std::vector<MemoryLevel>& of_rank = levels.emplace_back();
    of_rank.push_back({Seconds(), resting.total()});
    walk(derived, held, rank, resting,
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
    const HeldTable held(derived, costs, ReplicaId(lane));
    for (std::uint32_t rank = 0; rank < resting.size(); ++rank) {
      PeakMemory peak{ReplicaId(lane), RankId(rank), resting[rank], Seconds()};
      const auto keep_larger = [&](EventId event, const MemoryParts& during, const MemoryParts&) {
        if (during.total() <= peak.parts.total()) return;
        peak.parts = during;
        peak.when = timeline.start.at(event, lane);
      };
      walk(derived, held, RankId(rank), resting[rank], keep_larger);
      peaks.push_back(peak);
    }
  }
  return peaks;
}

Bytes most_memory(const Derived& derived, const CostModel& costs) {
  const std::vector<MemoryParts> resting = resting_parts(derived, costs);
  const std::vector<bool> differ = ranks_that_differ(derived, costs);
  const bool any_differs = std::find(differ.begin(), differ.end(), true) != differ.end();
  Bytes most;
  for (std::uint32_t replica = 0; replica < (any_differs ? derived.pipeline.replicas : 1); ++replica) {
    const HeldTable held(derived, costs, ReplicaId(replica));
    for (std::uint32_t rank = 0; rank < resting.size(); ++rank) {
      if (replica > 0 && !differ[rank]) continue;
      most = std::max(most, resting[rank].total());
      walk(derived, held, RankId(rank), resting[rank],
           [&](EventId, const MemoryParts& during, const MemoryParts&) {
             most = std::max(most, during.total());
           });
    }
  }
  return most;
}

}  // namespace spillway
