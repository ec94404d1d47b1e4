#include "measured/listed_rows.h"

#include "base/error.h"

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

// By chunk: the stages of a rank, ascending.
std::vector<std::uint32_t> stages_on(const PlacedOrders& placed, std::size_t rank) {
  std::vector<std::uint32_t> stages;
  for (std::uint32_t stage = 0; stage < placed.stage_rank.size(); ++stage)
    if (placed.stage_rank[stage].index() == rank) stages.push_back(stage);
  return stages;
}

std::string listed_row(const RankOrder& order, const std::vector<std::uint32_t>& stages) {
  std::string row;
  for (const Slot& slot : order) {
    ListedAction action{listed_kind(slot.action), stages[slot.chunk], slot.microbatch.index()};
    if (slot.action == Action::ForwardBackward) {
      action.backward_stage = stages[slot.backward_chunk];
      action.backward_microbatch = slot.backward_microbatch.index();
    }
    if (!row.empty()) row += ',';
    row += to_string(action);
  }
  return row;
}

}  // namespace

std::vector<std::string> listed_rows(const PlacedOrders& placed) {
  std::vector<std::string> rows;
  for (std::size_t rank = 0; rank < placed.orders.size(); ++rank)
    rows.push_back(listed_row(placed.orders[rank], stages_on(placed, rank)));
  return rows;
}

}  // namespace spillway
