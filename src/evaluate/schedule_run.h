// One schedule of an experiment run: derived, priced on every draw, timed by the engines. Private to
// src/evaluate.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "draws/costs.h"
#include "evaluate/evaluation.h"
#include "optimize/prepared_order.h"

namespace spillway {

// What schedules are run with.
struct RunContext {
  const DrawCosts& costs;  // of a folded experiment whose fits are done
  OrderCache& orders;
  std::vector<StartedEngine> engines;
  std::function<void()> on_draw;                     // called after each draw that is run
  std::function<bool(const ScheduleSpec&)> streams;  // or is its order held?
};

// What is to be warned of it is said behind what its memory asks for.
ScheduleResult run_schedule(const RunContext& with, const ScheduleSpec& schedule,
                            std::optional<Beside> beside = {}, const std::vector<Warning>& warnings = {},
                            std::optional<StepInterval> interval = {});

}  // namespace spillway
