#include <optional>
#include <vector>

#include "report/derivation.h"

namespace spillway {
namespace {

// By stage: its number along the pipeline; none of a transposed region's.
std::vector<std::optional<std::uint32_t>> pipeline_numbers(const Derived& derived) {
  std::vector<std::optional<std::uint32_t>> numbers(derived.stages.size());
  std::uint32_t first = 0;
  for (std::uint32_t region = 0; region < derived.regions.size(); ++region) {
    if (derived.placement[region].layout == Layout::Replicated) continue;
    const Fold fold = fold_of(derived.schedule.skeletons[region]);
    std::uint32_t stages = 0;
    for (std::size_t i = 0; i < derived.stages.size(); ++i) {
      const Stage& stage = derived.stages[i];
      if (stage.region != RegionId(region)) continue;
      const bool second_copy = fold == Fold::Bidirectional && stage.chunk == 1;
      numbers[i] = first + stage.index + (second_copy ? derived.pipeline.ranks : 0);
      ++stages;
    }
    first += stages;
  }
  return numbers;
}

ListedKind listed_kind(EventKind kind) {
  switch (kind) {
    case EventKind::Forward:
      return ListedKind::Forward;
    case EventKind::Backward:
      return ListedKind::Backward;
    case EventKind::BackwardInput:
      return ListedKind::BackwardInput;
    case EventKind::BackwardWeight:
      return ListedKind::BackwardWeight;
    case EventKind::ForwardBackward:
      return ListedKind::ForwardBackward;
    default:
      throw ContractBreach("a computing event");
  }
}

}  // namespace

ActionLists action_lists_of(const Derived& derived) {
  const auto numbers = pipeline_numbers(derived);
  ActionLists lists;
  for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank) {
    ActionRow row;
    for (EventId id : derived.order.nodes(RankId(rank))) {
      const Event& event = derived.order.event(id);
      if (!event.computes() || !numbers[event.stage.index()]) continue;
      ListedAction action{listed_kind(event.kind), *numbers[event.stage.index()], event.microbatch.index()};
      if (event.kind == EventKind::ForwardBackward) {
        action.backward_stage = numbers[event.peer_stage.index()].value();
        action.backward_microbatch = event.peer_microbatch.index();
      }
      row.push_back(action);
    }
    lists.rows.push_back(std::move(row));
  }
  return lists;
}

}  // namespace spillway
