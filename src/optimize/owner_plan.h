// Owner maps of the transposed input region, from what is expected.
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

// What a map is made for.
struct OwnerRequest {
  const DrawCosts& costs;
  const ScheduleSpec& schedule;
  PlanningDraws draws;
  // Do they stand for draws that are alike microbatch by microbatch? The one they were made from is not.
  bool alike;
};

// How many maps a search tries whose every trial prices so many events: planning stays short beside running.
std::uint32_t affordable_evaluations(double events);

// Adds what each microbatch's encode takes, of every replica; as many sums as microbatches.
void add_encodes(const Pricing& pricing, const Pipeline& pipeline, std::vector<ExactSum>& sums);

// Order makespan is searched under a map, so its maps are judged by that search: one made for each order
// rule, then, while that gains, one for the positions just found. `unmapped` has any maps; `derive_with`
// derives the same with the map given.
OwnerChoice plan_owner(const OwnerRequest& request, const PreparedOrder& unmapped,
                       const std::function<Derived(const OwnerMap&)>& derive_with);

}  // namespace spillway
