#include "schedule/placed_orders.h"

#include <algorithm>
#include <set>

namespace spillway {
namespace {

ListedKind listed_kind(Action action) {
  switch (action) {
    case Action::Forward:
      return ListedKind::Forward;
    case Action::Backward:
      return ListedKind::Backward;
    case Action::BackwardInput:
      return ListedKind::BackwardInput;
    case Action::BackwardWeight:
      return ListedKind::BackwardWeight;
    case Action::ForwardBackward:
      return ListedKind::ForwardBackward;
  }
  throw ContractBreach("unknown action");
}

Action action_of(ListedKind kind) {
  for (Action action : {Action::Forward, Action::Backward, Action::BackwardInput, Action::BackwardWeight,
                        Action::ForwardBackward})
    if (listed_kind(action) == kind) return action;
  throw ContractBreach("a computing action");
}

// The stages that compute in a row, ascending.
std::vector<std::uint32_t> stages_of(const ActionRow& row) {
  std::set<std::uint32_t> stages;
  for (const auto& action : row) {
    if (!action || !action->computes()) continue;
    stages.insert(action->stage);
    if (action->kind == ListedKind::ForwardBackward) stages.insert(action->backward_stage);
  }
  return {stages.begin(), stages.end()};
}

Slot slot_of(const ListedAction& action, const std::vector<std::uint32_t>& stages) {
  const auto chunk = [&](std::uint32_t stage) {
    return static_cast<std::uint32_t>(std::lower_bound(stages.begin(), stages.end(), stage) - stages.begin());
  };
  Slot slot{action_of(action.kind), chunk(action.stage), MicrobatchId(action.microbatch)};
  if (action.kind == ListedKind::ForwardBackward) {
    slot.backward_chunk = chunk(action.backward_stage);
    slot.backward_microbatch = MicrobatchId(action.backward_microbatch);
  }
  return slot;
}

ActionRow row_of(const RankOrder& order, const std::vector<std::uint32_t>& stages) {
  ActionRow row;
  for (const Slot& slot : order) row.emplace_back(listed(slot, stages));
  return row;
}

}  // namespace

Skeleton listed_skeleton(PlacedOrders orders) {
  return Skeleton(std::move(orders));
}

std::vector<std::vector<std::uint32_t>> rank_stages(const PlacedOrders& placed) {
  std::vector<std::vector<std::uint32_t>> stages(placed.orders.size());
  for (std::uint32_t stage = 0; stage < placed.stage_rank.size(); ++stage)
    stages[placed.stage_rank[stage].index()].push_back(stage);
  return stages;
}

ListedAction listed(const Slot& slot, const std::vector<std::uint32_t>& stages) {
  ListedAction action{listed_kind(slot.action), stages[slot.chunk], slot.microbatch.index()};
  if (slot.action == Action::ForwardBackward) {
    action.backward_stage = stages[slot.backward_chunk];
    action.backward_microbatch = slot.backward_microbatch.index();
  }
  return action;
}

ActionLists to_action_lists(const PlacedOrders& placed) {
  const auto stages = rank_stages(placed);
  ActionLists lists;
  for (std::size_t rank = 0; rank < placed.orders.size(); ++rank)
    lists.rows.push_back(row_of(placed.orders[rank], stages[rank]));
  return lists;
}

ActionLists to_action_lists(const Skeleton& skeleton, const RunShape& shape,
                            const std::vector<RankOrder>& orders) {
  const Fold fold = fold_of(skeleton);
  ActionLists lists;
  for (std::uint32_t rank = 0; rank < orders.size(); ++rank) {
    std::vector<std::uint32_t> stages;
    for (std::uint32_t chunk = 0; chunk < shape.chunks; ++chunk) {
      const std::uint32_t second_copy = fold == Fold::Bidirectional && chunk == 1 ? shape.ranks : 0;
      stages.push_back(second_copy + stage_of_chunk(fold, shape.ranks, chunk, rank));
    }
    lists.rows.push_back(row_of(orders[rank], stages));
  }
  return lists;
}

PlacedOrders placed_orders(const ActionLists& lists) {
  PlacedOrders placed;
  std::vector<std::pair<std::uint32_t, RankId>> stage_ranks;
  for (std::uint32_t rank = 0; rank < lists.rows.size(); ++rank) {
    const std::vector<std::uint32_t> stages = stages_of(lists.rows[rank]);
    for (std::uint32_t stage : stages) stage_ranks.emplace_back(stage, rank);
    RankOrder order;
    for (const auto& action : lists.rows[rank])
      if (action && action->computes()) order.push_back(slot_of(*action, stages));
    placed.orders.push_back(std::move(order));
  }
  std::sort(stage_ranks.begin(), stage_ranks.end());
  for (const auto& [stage, rank] : stage_ranks) {
    ensure(stage == placed.stage_rank.size(), "every stage from 0 on is in exactly one row");
    placed.stage_rank.push_back(rank);
  }
  return placed;
}

}  // namespace spillway
