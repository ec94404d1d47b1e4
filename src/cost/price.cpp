#include "cost/price.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

Seconds compute_seconds(const Pricing& pricing, const Event& event, ReplicaId replica) {
  if (event.kind == EventKind::ForwardBackward) return pricing.overlapped(event, replica);
  return pricing.pass(pass_of(event.kind), event.stage, event.microbatch, replica);
}

}  // namespace

Pass pass_of(EventKind kind) {
  switch (kind) {
    case EventKind::Forward:
      return Pass::Forward;
    case EventKind::Backward:
      return Pass::Backward;
    case EventKind::BackwardInput:
      return Pass::InputGradient;
    case EventKind::BackwardWeight:
      return Pass::WeightGradient;
    default:
      throw ContractBreach("the event is not one pass");
  }
}

void level_joined(Durations& durations, EventId id, std::uint32_t joined) {
  for (std::uint32_t first = 0; first < durations.lanes(); first += joined) {
    Seconds slowest;
    for (std::uint32_t lane = first; lane < first + joined; ++lane)
      slowest = std::max(slowest, durations.at(id, lane));
    for (std::uint32_t lane = first; lane < first + joined; ++lane) durations.at(id, lane) = slowest;
  }
}

Seconds event_seconds(const Pricing& pricing, const Event& event, ReplicaId replica) {
  if (event.computes()) return compute_seconds(pricing, event, replica);
  if (event.kind == EventKind::StepBarrier) {
    const StepEnd* end = pricing.step_end();
    return end == nullptr ? Seconds() : end->total();
  }
  return event.communicates() ? pricing.transfer(event, replica).alone : Seconds();
}

Prices price(const Derived& derived, const Pricing& pricing) {
  const auto events = derived.order.events();
  const std::uint32_t lanes = derived.pipeline.replicas;
  Prices prices{Durations(events.size(), lanes), PerEvent<Bytes>(events.size(), lanes),
                std::vector<Seconds>(derived.stages.size())};
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    const EventId id(index);
    const Event& event = events[index];
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (event.computes()) {
        prices.durations.at(id, lane) = compute_seconds(pricing, event, ReplicaId(lane));
      } else if (event.communicates()) {
        const Transfer transfer = pricing.transfer(event, ReplicaId(lane));
        prices.durations.at(id, lane) = transfer.alone;
        prices.payload.at(id, lane) = transfer.payload;
        if (event.kind == EventKind::DpReduce) {
          Seconds& update = prices.updates[event.stage.index()];
          update = std::max(update, transfer.update);
        }
      } else {
        prices.durations.at(id, lane) = event_seconds(pricing, event, ReplicaId(lane));
      }
    }
    if (event.joined_replicas > 1) level_joined(prices.durations, id, event.joined_replicas);
  }
  return prices;
}

}  // namespace spillway
