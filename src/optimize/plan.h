// Planning: choices of a schedule that follow from expectations, before the step. They are the owner maps,
// and the order if the skeleton plans.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "derive/owner.h"
#include "draws/costs.h"
#include "optimize/prepared_order.h"

namespace spillway {

struct PlannedSchedule {
  std::shared_ptr<const PreparedOrder> prepared;
  Cut cut;  // the cut it was derived with
  DeriveOptions options;
  std::optional<OwnerChoice> owner;  // of the transposed inputs, if there are any

  const Derived& derived() const { return prepared->derived; }
};

// Returns true if microbatches differ only by chance, so that none is expected to be larger than another.
bool microbatches_are_alike(const Experiment& experiment);

// Sets each time to their common mean.
void level(std::span<Seconds> encode);

// Rounds the times to ticks (base/ticks.h), so that maps do not depend on how a mean was rounded.
OwnerProblem in_ticks(OwnerProblem problem);

// Returns the schedule with its owner maps. A schedule in segments gets an order that is searched for
// (segment_search.h). Expected sizes come from draws that no result uses. With `draw`, the map is made from
// that draw's own sizes instead.
//
// Transposed regions after the inputs run round-robin, or on the ranks of the stages before them. Each
// possible inner order (derive.h) gets an owner map of its own, and the order with the least mean makespan
// over those draws is taken. An order that holds more than the skeleton is tried only if these regions cost a
// thousandth of the step, and taken only if it gains as much.
//
// The map is made for the positions that its microbatch order fills: with the largest first, an early
// position expects more than a late one. On the sizes that the map was made from (given ones, or the draw's
// own), no order rule with a map of its own policy is faster than order makespan.
PlannedSchedule plan(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule,
                     std::optional<std::uint32_t> draw = std::nullopt);

}  // namespace spillway
