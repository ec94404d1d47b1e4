// Where each rank's part of the span went, from any timeline over an order: a measured one or a replayed one.
// Errors that cancel in the span show here.
#pragma once

#include <cstdint>
#include <vector>

#include "order/order.h"
#include "timing/timeline.h"
#include "traces/pipeline/pipeline.h"

namespace spillway {

// The five add up to the span. Of the time between a rank's passes:
//   transfer    something it sends is under way
//   collective  otherwise, it takes part in a collective
//   wait        otherwise, what its next pass follows in the order has not ended: an input on its way, or a
//               send that must be through
//   host_gap    otherwise: the pass could have started and did not
// After its last pass a rank waits wherever it does not send: what it does there delays no pass.
struct Components {
  Seconds compute;
  Seconds transfer;
  Seconds collective;
  Seconds wait;
  Seconds host_gap;

  Seconds total() const { return compute + transfer + collective + wait + host_gap; }
};

inline constexpr std::size_t kComponents = 5;
// In the order above, for tables: "compute", ..., "host gap".
struct ComponentName {
  const char* text;
  Seconds Components::*part;
};
inline constexpr ComponentName kComponentNames[kComponents] = {{"compute", &Components::compute},
                                                               {"transfer", &Components::transfer},
                                                               {"collective", &Components::collective},
                                                               {"wait", &Components::wait},
                                                               {"host gap", &Components::host_gap}};

// By rank, of one lane. `collectives` by rank, ascending and disjoint, or empty where there are none. Where
// two passes of a rank overlap, what they share counts once.
std::vector<Components> components(const Order& order, const Timeline& timeline, std::uint32_t lane,
                                   Interval span, const std::vector<std::vector<Interval>>& collectives = {});

}  // namespace spillway
