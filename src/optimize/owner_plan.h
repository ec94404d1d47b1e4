// Owner maps of the transposed inputs, from expected times.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/exact_sum.h"
#include "derive/owner.h"
#include "draws/costs.h"
#include "draws/planning_draws.h"
#include "optimize/ordered_draws.h"
#include "optimize/prepared_order.h"

namespace spillway {

// The inputs of an owner map.
struct OwnerRequest {
  const DrawCosts& costs;
  const ScheduleSpec& schedule;
  PlanningDraws draws;
  // True if the draws stand for draws whose microbatches are alike. False for the draw that the map is made
  // from.
  bool alike;
};

// Returns how many maps a search tries if every trial prices `events` events. Planning stays short compared
// with running.
std::uint32_t affordable_evaluations(double events);

// The encode times of several draws, summed over replicas for each input and microbatch.
class EncodeSums {
 public:
  // Views `outline`.
  explicit EncodeSums(const Outline& outline);

  void add(const Pricing& pricing);
  // Means over `weight` samples. If microbatches are alike, each gets the mean of its input.
  std::vector<Seconds> means(double weight, bool alike) const;

 private:
  const Outline& outline_;
  std::vector<ExactSum> sums_;
};

// Returns the owner maps as one (owner.h). MicrobatchOrder::Makespan is searched under a map, so its maps are
// judged by that search: first one map for each order rule, then, while it gains, one for the positions just
// found. `unmapped` has any map; `derive_with` derives the same order with a given map.
OwnerChoice plan_owner(const OwnerRequest& request, const PreparedOrder& unmapped,
                       const std::function<Derived(const OwnerMap&)>& derive_with);

}  // namespace spillway
