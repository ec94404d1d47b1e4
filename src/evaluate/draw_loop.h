// The loop over the draws of a schedule. Orders are held or streamed, and draws run one at a time or as lanes
// of a batch. Private to src/evaluate.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "evaluate/streamed_draws.h"
#include "optimize/plan.h"

namespace spillway {

using PlannedOrder = std::variant<PlannedSchedule, PlannedStream>;

// The draws that run on one order.
struct DrawsOnOrder {
  const PlannedOrder& order;
  std::vector<std::uint32_t> draws;  // ascending
  double planned_s;                  // host time of planning the order
};

// Calls `run` for every draw that differs, with at most `at_once` draws of one order. The order is planned
// once from expected sizes, or for each draw from its own sizes (owner_from_draw). Draws that get the same
// order share a call. With `streams`, throws as plan_stream() does. `known` is the plan from expected sizes,
// or null.
void for_each_order(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule, bool streams,
                    std::uint32_t at_once, const std::function<void(const DrawsOnOrder&)>& run,
                    const PlannedSchedule* known = nullptr);

// Extends the steps of the draws that differ to all draws: the first stands for those that do not. Then
// wait(planning, steps) delays them if each step waits for its own plan.
template <class Step, class Wait>
void complete_draws(const Experiment& experiment, const ScheduleSpec& schedule, std::vector<Step>& steps,
                    Wait wait) {
  steps.resize(experiment.draws, steps.front());
  if (plans_each_step(experiment, schedule)) wait(schedule.planning, steps);
}

}  // namespace spillway
