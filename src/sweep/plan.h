// Planning: what of a schedule is settled before the step from what is expected: the owner maps, and the
// order where the skeleton plans.
#pragma once

#include <optional>

#include "derive/owner.h"
#include "sweep/costs.h"

namespace spillway {

struct PlannedSchedule {
  Derived derived;
  Expectations expected;             // what planning skeletons were told; empty where there is none
  std::optional<OwnerChoice> owner;  // of the transposed input region, where there is one
};

// The schedule with its owner maps. Expected sizes come from draws that no result uses; with `draw`, the map
// is made from that draw's own sizes instead. Transposed regions after the input have no warm-up slack and
// get round-robin. The map is made for the positions that its microbatch order fills: largest first, an early
// position expects more than a late one. Order makespan is searched under a map, so its maps are judged by
// that search: one made for each order rule, then, while that gains, one for the positions just found. On
// sizes that the map was made from (given ones, or the draw's own) no order rule with a map of its own policy
// is then faster.
PlannedSchedule plan(const DrawCosts& costs, const ScheduleSpec& schedule,
                     std::optional<std::uint32_t> draw = std::nullopt);

}  // namespace spillway
