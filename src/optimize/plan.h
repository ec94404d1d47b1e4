// Planning: what of a schedule is settled before the step from what is expected: the owner maps, and the
// order where the skeleton plans.
#pragma once

#include <memory>
#include <optional>

#include "derive/owner.h"
#include "draws/costs.h"
#include "optimize/prepared_order.h"

namespace spillway {

struct PlannedSchedule {
  std::shared_ptr<const PreparedOrder> prepared;
  Cut cut;  // what it was derived with, as the schedule has regions
  DeriveOptions options;
  std::optional<OwnerChoice> owner;  // of the transposed input region, where there is one

  const Derived& derived() const { return prepared->derived; }
};

// Do microbatches differ by chance alone, so that before they are drawn none is expected to be larger than
// another?
bool microbatches_are_alike(const Experiment& experiment);

// Makes their common mean the expectation of each.
void level(std::vector<Seconds>& encode);

// With its times in ticks (base/ticks.h): maps must not differ by how a mean was rounded.
OwnerProblem in_ticks(OwnerProblem problem);

// The schedule with its owner maps, one in segments in an order searched for it (segment_search.h). Expected
// sizes come from draws that no result uses; with `draw`, the map is made from that draw's own sizes instead.
// Transposed regions after the input get round-robin, or the ranks of the stages before them: of the inner
// orders there are (derive.h), each with the owner map made for it, the one is taken that takes least on
// average over those draws; one that holds more than the skeleton only where these regions cost a thousandth
// of the step, and gains as much. The map is made for the positions that its microbatch order fills: largest
// first, an early position expects more than a late one. On sizes that the map was made from (given ones, or
// the draw's own) no order rule with a map of its own policy is then faster than order makespan.
PlannedSchedule plan(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule,
                     std::optional<std::uint32_t> draw = std::nullopt);

}  // namespace spillway
