// Figures of steps with a large order, from streams, one replica of a draw at a time. Private to
// src/evaluate.
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

// Returns true if the order is too large to derive, or so large that streaming is better. Contract: readers
// accepted the experiment, so an order that cannot be derived can be streamed.
bool is_streamed(const Experiment& experiment, const ScheduleSpec& schedule);

// Returns true if these engines stream the schedule. They do so only for figures that a stream has: no engine
// needs the whole order, bytes are not stated, and no schedule is a system's, whose traffic would be
// reported.
bool is_streamed(const Experiment& folded, const ScheduleSpec& schedule, const Engines& engines);

struct StreamedDraw {
  ByEngine<std::optional<Seconds>> makespans;
  StepFigures step;  // of the last engine that replays, or else of the longest path
};

struct PlannedStream {
  OrderStream order;
  std::optional<OwnerChoice> owner;  // of the transposed input region, if there is one
};

// Plans the schedule's owner maps as plan() does. Throws InputError if the schedule asks for what a stream
// does not have: an order of microbatches other than as sampled, a map for each draw, a memory limit.
PlannedStream plan_stream(const DrawCosts& costs, const ScheduleSpec& schedule);

// Times one draw by the longest path and the engines. Contract: with an engine that replays, there is one
// replica.
StreamedDraw streamed_draw(const OrderStream& order, const DrawCosts& costs, std::uint32_t draw,
                           std::span<const StartedEngine> engines = {});

}  // namespace spillway
