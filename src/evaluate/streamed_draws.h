// Steps whose order is large: their figures from streams, a replica of a draw at a time.
// Private to src/evaluate.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "derive/order_stream.h"
#include "derive/owner.h"
#include "draws/costs.h"
#include "evaluate/engines.h"
#include "timing/step_figures.h"

namespace spillway {

// Is the order too large to be derived, or so large that it is better streamed? Contract: the experiment was
// read, so that what cannot be derived can be streamed.
bool is_streamed(const Experiment& experiment, const ScheduleSpec& schedule);

// Is it streamed where these engines run it? Only one that they run for figures alone, all of which a stream
// has: durations are given without bytes, and no system's traffic is told.
bool is_streamed(const Experiment& folded, const ScheduleSpec& schedule, const Engines& engines);

struct StreamedDraw {
  ByEngine<std::optional<Seconds>> makespans;
  StepFigures step;  // of the last engine that replays, or else of the longest path
};

struct PlannedStream {
  OrderStream order;
  std::optional<OwnerChoice> owner;  // of the transposed input region, where there is one
};

// Plans the schedule's owner maps as plan() does. Throws InputError where the schedule wants what a stream
// has not: microbatches in another order than as sampled, a map for each draw, a memory limit.
PlannedStream plan_stream(const DrawCosts& costs, const ScheduleSpec& schedule);

// Times one draw by the longest path and the engines. Contract: an engine that replays is given one replica.
StreamedDraw streamed_draw(const OrderStream& order, const DrawCosts& costs, std::uint32_t draw,
                           std::span<const StartedEngine> engines = {});

}  // namespace spillway
