// Hill climbing over orders of microbatches. Private to src/optimize.
#pragma once

#include <cstdint>
#include <vector>

#include "optimize/reordered_costs.h"
#include "timing/longest_path.h"

namespace spillway {

// Replicas that advance together, in the order in which they are tried.
using ReplicaGroup = std::vector<ReplicaId>;

// One step to be ordered, as every climb of it reads it.
struct ClimbedStep {
  // `together` replicas make a group. Views the step, which outlives it.
  ClimbedStep(const Derived& step, std::uint32_t together);

  const Derived& derived;
  std::vector<std::vector<EventId>> events;  // by position; an overlapped pass has two
  LongestPath longest_path;                  // of one group by itself
};

// Improves the orders of one group in place, from where they are to a local optimum, or until about `prices`
// events are priced. Returns the makespan of the group by itself. Deterministic. Contract: `costs` prices
// `orders`, as they are when it is asked.
Seconds climb(const ClimbedStep& step, const ReplicaGroup& group, std::vector<Permutation>& orders,
              const ReorderedCosts& costs, double prices);

}  // namespace spillway
