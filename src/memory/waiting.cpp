#include "memory/waiting.h"

#include <algorithm>
#include <optional>

namespace spillway {
namespace {

// The pass that a transfer is for; none of this step where it is for the next.
std::optional<EventId> receiver_of(const Order& order, EventId transfer) {
  const Event& sent = order.event(transfer);
  for (const std::uint32_t successor : order.successors(transfer)) {
    const Event& event = order.event(EventId(successor));
    const bool works_on = event.microbatch == sent.microbatch || event.peer_microbatch == sent.microbatch;
    if (event.computes() && event.rank == sent.peer_rank && works_on) return EventId(successor);
  }
  return std::nullopt;
}

// The pass of this step that takes what the same transfer brought in the step before.
EventId taker_of(const Order& order, const Event& sent) {
  for (const EventId id : order.nodes(sent.peer_rank)) {
    const Event& event = order.event(id);
    if (event.runs_forward() && event.stage == sent.peer_stage && event.microbatch == sent.microbatch)
      return id;
  }
  throw ContractBreach("a transfer has a receiver");
}

// The backward, where the output has come to, of what it was made from.
EventId backward_of(const Derived& derived, const Event& sent) {
  for (const EventId id : derived.order.nodes(sent.peer_rank)) {
    const Event& event = derived.order.event(id);
    const bool is_backward = event.kind == EventKind::Backward || event.kind == EventKind::BackwardInput;
    if (is_backward && event.microbatch == sent.microbatch &&
        derived.stage(event.stage).region == derived.stage(sent.stage).region)
      return id;
  }
  throw ContractBreach("what is sent for a backward has one");
}

std::uint32_t end_of_step(const Order& order) {
  std::uint32_t end = 0;
  while (order.event(EventId(end)).kind != EventKind::StepBarrier) ++end;
  return end;
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
    const std::optional<EventId> receiver = receiver_of(derived.order, EventId(index));
    const Seconds since = timeline.start.at(EventId(index), replica.index());
    const Bytes bytes = footprints.received(event, replica);
    const auto add = [&](Seconds from, EventId taken_by) {
      if (bytes > Bytes() && from < timeline.start.at(taken_by, replica.index()))
        by_rank[event.peer_rank.index()].push_back({from, bytes, taken_by});
    };
    if (receiver) {
      add(since, *receiver);
      if (const Bytes input = footprints.received_input(event, replica); input > Bytes())
        by_rank[event.peer_rank.index()].push_back({since, input, backward_of(derived, event)});
    } else {
      add(Seconds(), taker_of(derived.order, event));
      add(since, EventId(end_of_step(derived.order)));
    }
  }
  for (auto& own : by_rank)
    std::stable_sort(own.begin(), own.end(),
                     [](const Arrival& a, const Arrival& b) { return a.since < b.since; });
  return by_rank;
}

}  // namespace spillway
