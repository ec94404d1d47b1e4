#include "memory/waiting.h"

#include <algorithm>

namespace spillway {
namespace {

// The pass that a transfer is for.
EventId receiver_of(const Order& order, EventId transfer) {
  const RankId rank = order.event(transfer).peer_rank;
  for (const std::uint32_t successor : order.successors(transfer)) {
    const Event& event = order.event(EventId(successor));
    if (event.computes() && event.rank == rank) return EventId(successor);
  }
  throw ContractBreach("a transfer has a receiver");
}

}  // namespace

bool crosses_a_transposed_seam(const Event& event) {
  return event.kind == EventKind::Collective && (event.comm == Comm::Gather || event.comm == Comm::Scatter);
}

std::vector<std::vector<Arrival>> arrivals(const Derived& derived, const Footprints& footprints,
                                           const Timeline& timeline, ReplicaId replica) {
  std::vector<std::vector<Arrival>> by_rank(derived.order.rank_count());
  for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) {
    const Event& event = derived.order.event(EventId(index));
    if (!crosses_a_transposed_seam(event)) continue;
    const EventId receiver = receiver_of(derived.order, EventId(index));
    const Seconds since = timeline.start.at(EventId(index), replica.index());
    const Bytes bytes = footprints.received(event, replica);
    if (bytes > Bytes() && since < timeline.start.at(receiver, replica.index()))
      by_rank[event.peer_rank.index()].push_back({since, bytes, receiver});
  }
  for (auto& own : by_rank)
    std::stable_sort(own.begin(), own.end(),
                     [](const Arrival& a, const Arrival& b) { return a.since < b.since; });
  return by_rank;
}

}  // namespace spillway
