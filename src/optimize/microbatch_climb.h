// Hill climbing over orders of microbatches. Private to src/optimize.
#pragma once

#include <cstdint>
#include <vector>

#include "optimize/reordered_costs.h"
#include "timing/longest_path.h"

namespace spillway {

// Replicas that advance together, in the order in which their moves are tried.
using ReplicaGroup = std::vector<ReplicaId>;

// A step to be ordered. All climbs of the step share it.
struct ClimbedStep {
  // Groups have `together` replicas. Views the step, which outlives it.
  ClimbedStep(const Derived& step, std::uint32_t together);

  const Derived& derived;
  std::vector<std::vector<EventId>> events;  // by position; an overlapped pass is at two
  LongestPath longest_path;                  // of one group by itself
};

// Improves the orders of one group in place until it reaches a local optimum, or has priced about `prices`
// events. Returns the makespan of the group by itself. Deterministic. Contract: `costs` prices `orders` as
// they are at each call.
Seconds climb(const ClimbedStep& step, const ReplicaGroup& group, std::vector<Permutation>& orders,
              const ReorderedCosts& costs, double prices);

}  // namespace spillway
