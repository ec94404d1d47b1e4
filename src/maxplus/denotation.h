// The timing denotation of any part of an order.
#pragma once

#include <cstdint>
#include <span>

#include "maxplus/precedence.h"
#include "maxplus/transfer_function.h"
#include "order/durations.h"

namespace spillway {

// Lanes [first, end).
struct Lanes {
  std::uint32_t first;
  std::uint32_t end;
};

// The transfer function of `events` on `lanes`: a region, a rank's slab, a window in time, a single event.
//   inputs   the events outside that one inside waits for: arrivals over a seam, or the rank taken over
//   outputs  the events inside that one outside waits for, and those that nothing waits for
// Rows of path lengths pass through the part in topological order. Cost: edges x inputs. Contract: events
// ascend; `lanes` are whole groups of each event's joined replicas; joined lanes have equal durations.
TransferFunction denotation(const Precedence& precedence, const Durations& durations,
                            std::span<const EventId> events, Lanes lanes);

// The same on all lanes.
TransferFunction denotation(const Precedence& precedence, const Durations& durations,
                            std::span<const EventId> events);

}  // namespace spillway
