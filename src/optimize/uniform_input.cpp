#include "optimize/uniform_input.h"

#include <optional>

namespace spillway {
namespace {

bool in_first_stage(const Derived& derived, StageId stage) {
  return derived.stage(stage).region.index() == 1 && derived.stage(stage).chunk == 0;
}

// The microbatch whose forward, or the input's gradient of which, the event computes in its rank's first
// stage of the body.
std::optional<std::uint32_t> forward_in(const Derived& derived, const Event& event) {
  if (!event.runs_forward() || !in_first_stage(derived, event.stage)) return std::nullopt;
  return event.microbatch.index();
}

std::optional<std::uint32_t> backward_in(const Derived& derived, const Event& event) {
  if (event.kind == EventKind::Backward || event.kind == EventKind::BackwardInput)
    return in_first_stage(derived, event.stage) ? std::optional(event.microbatch.index()) : std::nullopt;
  if (event.kind != EventKind::ForwardBackward || !in_first_stage(derived, event.peer_stage))
    return std::nullopt;
  return event.peer_microbatch.index();
}

}  // namespace

InputPlan plan_uniform(const Derived& derived) {
  const std::uint32_t ranks = derived.pipeline.ranks, microbatches = derived.pipeline.microbatches;
  InputPlan plan{OwnerMap(microbatches), std::vector<std::vector<PlacedPass>>(ranks), {}};
  for (std::uint32_t m = 0; m < microbatches; ++m) plan.owner[m] = RankId(m % ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::uint32_t position = 0;
    const auto place = [&](std::uint32_t m, bool backward) {
      if (m < microbatches && m % ranks == rank)
        plan.placed[rank].push_back({position, MicrobatchId(m), backward});
    };
    for (const EventId id : derived.order.nodes(RankId(rank))) {
      const Event& event = derived.order.event(id);
      if (!event.computes() || derived.stage(event.stage).region.index() == 0) continue;
      if (const auto m = forward_in(derived, event)) place(*m + ranks, false);
      if (const auto m = backward_in(derived, event); m && *m >= ranks) place(*m - ranks, true);
      ++position;
    }
  }
  return plan;
}

}  // namespace spillway
