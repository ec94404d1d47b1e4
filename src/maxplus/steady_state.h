// How much a step grows per microbatch once it is long: the (max,+) eigenvalue of its periodic middle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "maxplus/cycle_ratio.h"
#include "order/durations.h"
#include "order/order.h"

namespace spillway {

// A part of the steady state whose events all wait for each other; the ranks may go through several one after
// the other: GPipe's forwards and its backwards, a transposed encoder's prefix and the body.
struct Phase {
  Seconds eigenvalue;                   // per period of the order
  std::uint32_t tokens;                 // the periods that its critical cycle spans
  std::vector<EventId> critical_cycle;  // one event of each class on it, in order
};

struct SteadyState {
  std::uint32_t period;  // microbatches after which the order repeats: 1 for 1F1B, a group for VPP
  // Phases that follow each other, none beginning before the one before it is over; those that take longest.
  std::vector<Phase> phases;

  // Growth of the makespan: the eigenvalue, or the sum of the phases'.
  Seconds per_microbatch() const;
  // Growth repeats after this many microbatches, so it is an average over as many: period x tokens.
  std::uint32_t cyclicity() const;
};

// None where the middle third of the microbatches has no period: they differ, or it is longer than a sixth of
// the step, or so long that the middle cannot be told from the ends. Takes one draw; replicas may differ.
// Contract: as LongestPath's.
std::optional<SteadyState> steady_state(const Order& order, const Durations& durations);

}  // namespace spillway
