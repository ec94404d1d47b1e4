// The chain of events that makes the step as long as it is.
#pragma once

#include <cstdint>
#include <vector>

#include "order/order.h"
#include "timing/timeline.h"

namespace spillway {

struct CriticalEvent {
  EventId event;
  std::uint32_t lane;
};

// The events from the first of the step to the last; each starts when the one before it ends. On a tie the
// path takes the predecessor with the lowest id (and lane). `timeline` comes from the longest path.
std::vector<CriticalEvent> critical_path(const Order& order, const Timeline& timeline);

}  // namespace spillway
