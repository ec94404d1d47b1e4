// The growth of a long step per microbatch: the (max,+) eigenvalue of its periodic middle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "maxplus/cycle_ratio.h"
#include "order/durations.h"
#include "order/order.h"

namespace spillway {

// A part of the steady state whose events all wait for each other. Ranks may pass through several phases:
// GPipe's forwards and its backwards, or a transposed encoder's prefix and the body.
struct Phase {
  Seconds eigenvalue;                   // per period of the order
  std::uint32_t tokens;                 // the periods that its critical cycle spans
  std::vector<EventId> critical_cycle;  // one event of each class on it, in order
};

struct SteadyState {
  std::uint32_t period;  // microbatches after which the order repeats: 1 for 1F1B, a group for VPP
  // The longest chain of phases; each begins after the one before it has ended.
  std::vector<Phase> phases;

  // Growth of the makespan: the sum of the phases' eigenvalues, per microbatch.
  Seconds per_microbatch() const;
  // The growth is an average over this many microbatches (period x tokens), after which it repeats.
  std::uint32_t cyclicity() const;
};

// Returns nothing if the middle third of the microbatches has no period: microbatches differ, or the period
// is longer than a sixth of the step, or so long that the middle is not distinct from the ends. The durations
// are of one draw; replicas may differ. Contract: as LongestPath's.
std::optional<SteadyState> steady_state(const Order& order, const Durations& durations);

}  // namespace spillway
