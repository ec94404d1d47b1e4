#include "timing/order_chains.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace spillway {
namespace {

bool has_microbatch(const Event& event) {
  return event.computes() || event.kind == EventKind::Collective || event.kind == EventKind::Loss;
}

bool is_of(const Event& event, MicrobatchId microbatch) {
  return event.microbatch == microbatch ||
         (event.kind == EventKind::ForwardBackward && event.peer_microbatch == microbatch);
}

bool share_microbatch(const Event& from, const Event& to) {
  if (!has_microbatch(from) || !has_microbatch(to)) return false;
  return is_of(to, from.microbatch) ||
         (from.kind == EventKind::ForwardBackward && is_of(to, from.peer_microbatch));
}

// Returns true if every order has this edge.
bool is_needed(const Order& order, const Edge& edge) {
  const Event& from = order.event(edge.from);
  const Event& to = order.event(edge.to);
  if (to.kind == EventKind::StepBarrier || edge.kind == EdgeKind::Accumulate) return true;
  return edge.kind != EdgeKind::Sequence && share_microbatch(from, to);
}

// Gives every member of a joined group the latest time of its members.
void level(PerEvent<Seconds>& times, EventId id, std::uint32_t joined) {
  for (std::uint32_t first = 0; joined > 1 && first < times.lanes(); first += joined) {
    Seconds latest;
    for (std::uint32_t lane = first; lane < first + joined; ++lane)
      latest = std::max(latest, times.at(id, lane));
    for (std::uint32_t lane = first; lane < first + joined; ++lane) times.at(id, lane) = latest;
  }
}

}  // namespace

// Edges are grouped by their source, so rows are filled from counts.
OrderRows needed_in_every_order(const Order& order) {
  std::vector<Edge> edges = order.edges();
  std::erase_if(edges, [&](const Edge& edge) { return !is_needed(order, edge); });
  OrderRows rows{std::vector<std::uint32_t>(order.event_count() + 1),
                 std::vector<std::uint32_t>(edges.size())};
  for (const Edge& edge : edges) ++rows.first[edge.to.index() + 1];
  std::partial_sum(rows.first.begin(), rows.first.end(), rows.first.begin());
  std::vector<std::uint32_t> next(rows.first.begin(), rows.first.end() - 1);
  for (const Edge& edge : edges) rows.event[next[edge.to.index()]++] = edge.from.index();
  return rows;
}

PerEvent<Seconds> chain_heads(const Order& order, const OrderRows& needed, const Durations& durations) {
  PerEvent<Seconds> start(durations.events(), durations.lanes());
  for (std::uint32_t index = 0; index < durations.events(); ++index) {
    const EventId id(index);
    for (const std::uint32_t before : needed.of(id))
      for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane)
        start.at(id, lane) = std::max(start.at(id, lane),
                                      start.at(EventId(before), lane) + durations.at(EventId(before), lane));
    level(start, id, order.event(id).joined_replicas);
  }
  return start;
}

PerEvent<Seconds> chain_tails(const Order& order, const OrderRows& needed, const Durations& durations) {
  PerEvent<Seconds> after(durations.events(), durations.lanes());
  for (auto index = static_cast<std::uint32_t>(durations.events()); index-- > 0;) {
    const EventId id(index);
    level(after, id, order.event(id).joined_replicas);
    for (const std::uint32_t before : needed.of(id))
      for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane)
        after.at(EventId(before), lane) =
            std::max(after.at(EventId(before), lane), after.at(id, lane) + durations.at(id, lane));
  }
  return after;
}

}  // namespace spillway
