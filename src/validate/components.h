// Divides each rank's part of the span by cause, for any timeline over an order, measured or replayed. Errors
// that cancel in the span show here.
#pragma once

#include <cstdint>
#include <vector>

#include "order/order.h"
#include "timing/timeline.h"
#include "traces/pipeline/pipeline.h"

namespace spillway {

// The five parts add up to the span. The time between a rank's passes is:
//   transfer    while something that it sends is under way
//   collective  otherwise, while it takes part in a collective
//   wait        otherwise, until all predecessors of its next pass in the order have ended: an input on its
//               way, or a send that must finish
//   host_gap    otherwise: the pass could have started and did not
// After its last pass, a rank waits whenever it does not send, because nothing there delays a pass.
struct Components {
  Seconds compute;
  Seconds transfer;
  Seconds collective;
  Seconds wait;
  Seconds host_gap;

  Seconds total() const { return compute + transfer + collective + wait + host_gap; }
};

inline constexpr std::size_t kComponents = 5;
// Names in the order above, for tables: "compute", ..., "host gap".
struct ComponentName {
  const char* text;
  Seconds Components::*part;
};
inline constexpr ComponentName kComponentNames[kComponents] = {{"compute", &Components::compute},
                                                               {"transfer", &Components::transfer},
                                                               {"collective", &Components::collective},
                                                               {"wait", &Components::wait},
                                                               {"host gap", &Components::host_gap}};

// Returns the components of one lane by rank. `collectives` are by rank, ascending and disjoint, or empty if
// there are none. If two passes of a rank overlap, the shared time counts once.
std::vector<Components> components(const Order& order, const Timeline& timeline, std::uint32_t lane,
                                   Interval span, const std::vector<std::vector<Interval>>& collectives = {});

}  // namespace spillway
