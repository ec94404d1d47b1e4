#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "report/order/derivation.h"
#include "schedule/stated_layers.h"

namespace spillway {
namespace {

// Returns the number of each stage along the pipeline, or nothing for a stage of a transposed region.
std::vector<std::optional<std::uint32_t>> pipeline_numbers(const Outline& derived) {
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

// Returns the layers of each stage, by the stage's number.
std::vector<std::uint32_t> stage_layers(const Outline& derived) {
  const std::vector<std::optional<std::uint32_t>> numbers = pipeline_numbers(derived);
  std::vector<std::uint32_t> layers(static_cast<std::size_t>(
      std::count_if(numbers.begin(), numbers.end(), [](const auto& number) { return number.has_value(); })));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i]) layers[*numbers[i]] = derived.stages[i].layers.size();
  return layers;
}

// Returns true if the stages share the model's layers evenly, which readers of the lists assume by default.
bool are_by_count(const std::vector<std::uint32_t>& layers, std::size_t of_the_model) {
  const std::size_t each = of_the_model / layers.size(), more = of_the_model % layers.size();
  for (std::size_t stage = 0; stage < layers.size(); ++stage)
    if (layers[stage] != each + (stage < more ? 1 : 0)) return false;
  return true;
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

std::string derivation_csv(const Derived& derived) {
  const std::string actions = to_string(action_lists_of(derived));
  const std::vector<std::uint32_t> layers = stage_layers(derived);
  if (layers.empty() || are_by_count(layers, derived.model.layer_count())) return actions;
  return with_stated_layers(actions, layers);
}

}  // namespace spillway
