// The ranks that hold an event. Private to src/order.
#pragma once

#include "order/event.h"

namespace spillway {

inline bool on_every_rank(const Event& event) {
  return event.kind == EventKind::StepBarrier || (event.in_group() && event.group == Group::ReplicaGroup);
}

// Calls `visit` with each rank that holds the event; a transfer's receiver does not.
template <class Visit>
void for_each_holder(const Event& event, std::uint32_t ranks, const Visit& visit) {
  const bool all = on_every_rank(event);
  const std::uint32_t holders = all ? ranks : event.in_group() ? event.holders() : 1;
  for (std::uint32_t i = 0; i < holders; ++i) visit(all ? i : event.holder(i).index());
}

}  // namespace spillway
