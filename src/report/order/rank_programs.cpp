#include "report/order/rank_programs.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

// Adds the operation of `before` on `rank` that an event there waits for. Returns false if `before` has none
// there; then another member of the event's group waits for it.
bool add_need(const Event& before, EventId id, RankId rank, bool occupies, std::vector<OperationRef>& needs) {
  if (before.in_group()) {
    needs.push_back({id, RankOperation::Reduce});
  } else if (before.transfers() && before.peer_rank == rank) {
    needs.push_back({id, RankOperation::Receive});
  } else if (before.rank == rank) {
    needs.push_back({id, !before.transfers() ? RankOperation::Run
                         : occupies          ? RankOperation::Hold
                                             : RankOperation::Send});
  } else {
    return false;
  }
  return true;
}

}  // namespace

RankPrograms::RankPrograms(const Derived& derived)
    : derived_(derived), arriving_(derived.order.rank_count()) {
  for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) {
    const Event& event = derived.order.event(EventId(index));
    if (event.transfers()) arriving_[event.peer_rank.index()].push_back(EventId(index));
  }
}

std::vector<RankId> RankPrograms::reducing_ranks(const Event& event) const {
  std::vector<RankId> ranks;
  if (event.group == Group::ReplicaGroup) {
    for (std::uint32_t rank = 0; rank < derived_.order.rank_count(); ++rank) ranks.emplace_back(rank);
    return ranks;
  }
  for (std::uint32_t i = 0; i < event.holders(); ++i) ranks.push_back(event.holder(i));
  return ranks;
}

void RankPrograms::visit_event(RankId rank, EventId id, const std::function<void(const RankStep&)>& step,
                               std::vector<OperationRef>& needs) const {
  const Order& order = derived_.order;
  const Event& event = order.event(id);
  if (event.kind == EventKind::StepBarrier) return;
  if (event.transfers() && event.peer_rank == rank) return step({id, RankOperation::Receive, {}});
  const bool occupies = derived_.point_to_point == PointToPoint::Blocking;
  needs.clear();
  for (const std::uint32_t before : order.predecessors(id)) {
    const bool here = add_need(order.event(EventId(before)), EventId(before), rank, occupies, needs);
    ensure(here || event.in_group(), "ranks wait for each other by transfers and reductions");
  }
  if (event.in_group()) return step({id, RankOperation::Reduce, needs});
  if (!event.transfers()) return step({id, RankOperation::Run, needs});
  step({id, RankOperation::Send, needs});
  if (occupies) step({id, RankOperation::Hold, needs});
}

void RankPrograms::visit(RankId rank, const std::function<void(const RankStep&)>& step) const {
  const auto own = derived_.order.nodes(rank);
  std::vector<EventId> all(own.begin(), own.end());
  const std::vector<EventId>& arriving = arriving_[rank.index()];
  all.insert(all.end(), arriving.begin(), arriving.end());
  std::ranges::sort(all);
  std::vector<OperationRef> needs;
  for (const EventId id : all) visit_event(rank, id, step, needs);
}

}  // namespace spillway
