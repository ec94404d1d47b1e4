// Compares the memory that passes take with the walk of peak_memory.h.
#include "memory/room_of_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "memory/peak_memory.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"

namespace spillway::testing {
namespace {

std::vector<std::uint32_t> passes_of(const Order& order) {
  std::vector<std::uint32_t> passes;
  for (std::uint32_t event = 0; event < order.event_count(); ++event)
    if (order.event(EventId(event)).computes()) passes.push_back(event);
  return passes;
}

// The most that any rank lacks, if its passes run in this order.
Bytes most_lacking(const Derived& derived, const std::vector<std::uint32_t>& passes, const TaskRoom& room) {
  std::vector<Bytes> held(derived.pipeline.ranks);
  Bytes most(-1e30);
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
    for (const EventId id : derived.order.nodes(RankId(rank))) {
      const auto known = std::ranges::lower_bound(passes, static_cast<std::uint32_t>(id.index()));
      if (known == passes.end() || *known != id.index()) continue;
      const auto pass = static_cast<std::size_t>(known - passes.begin());
      held[rank] += room.at_start[pass];
      most = std::max(most, held[rank] + room.meanwhile[pass] - room.of_rank[rank]);
      held[rank] += room.at_end[pass];
    }
  return most;
}

// With room for exactly what a schedule holds, no rank lacks any; with a byte less, one does.
RC_GTEST_PROP(RoomOfPasses, IsWhatTheWalkFinds, ()) {
  RandomDerivation random = *random_derivation({.every_skeleton = true});
  for (BlockProfile& block : random.costs.blocks) {
    block.activation = Bytes(*rc::gen::inRange(1, 50));
    block.weight_gradient_activation = Bytes(*rc::gen::inRange(0, 80));
  }
  const Derived derived = random.derived();
  const GivenCostModel model(random.costs, derived);
  if (derived.pipeline.replicas > 1 || anything_waits(derived, model)) return;
  const Bytes most = most_memory(derived, model);
  const std::vector<std::uint32_t> passes = passes_of(derived.order);
  const Footprints* const draw = &model;
  const TaskRoom room = room_of_passes(derived, passes, {&draw, 1}, most);
  if (room.of_rank.empty()) return;  // forwards and backwards run together
  RC_ASSERT(most_lacking(derived, passes, room) <= Bytes(1e-9));
  RC_ASSERT(most_lacking(derived, passes, room_of_passes(derived, passes, {&draw, 1}, most - Bytes(1))) >
            Bytes());
}

}  // namespace
}  // namespace spillway::testing
