#include "policy/one_each.h"

#include <algorithm>

namespace spillway {
namespace {

// A microbatch's first pass in the body, if this is one.
bool enters(const Derived& derived, const Event& event) {
  const Stage& stage = derived.stage(event.stage);
  return event.runs_forward() && stage.region.index() == 1 && stage.index == 0;
}

}  // namespace

InputPlan plan_one_each(const Derived& derived) {
  const auto [ranks, microbatches, replicas] = derived.pipeline;
  InputPlan plan{OwnerMap(microbatches), std::vector<std::vector<PlacedPass>>(ranks), {}};
  for (std::uint32_t m = 0; m < std::min(ranks, microbatches); ++m) plan.owner[m] = RankId(m);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::uint32_t position = 0;
    for (const EventId id : derived.order.nodes(RankId(rank))) {
      const Event& event = derived.order.event(id);
      if (!event.computes() || derived.stage(event.stage).region.index() == 0) continue;
      if (event.microbatch.index() >= ranks && enters(derived, event)) {
        plan.owner[event.microbatch.index()] = RankId(rank);
        plan.placed[rank].push_back({position, event.microbatch, false});
      }
      ++position;
    }
  }
  return plan;
}

}  // namespace spillway
