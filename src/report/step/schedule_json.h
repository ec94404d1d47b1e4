// The part of the report on each schedule, as JSON, and figures over draws as JSON. Private to
// src/report/step.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/warning.h"
#include "report/step/drawn_figures.h"
#include "report/step/figure_json.h"

namespace spillway {

using Json = nlohmann::ordered_json;

// Calls `value_of` once for each draw.
template <class ValueOf>
Json over_draws(const ScheduleResult& schedule, ValueOf value_of) {
  return figure_json(by_draw(schedule, value_of));
}

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json warnings_json(const std::vector<Warning>& warnings);

Json schedule_json(const Evaluation& evaluation, const ScheduleResult& schedule);

// Returns the main figures of the references that ran in addition to the experiment's schedules.
Json references_json(const Evaluation& evaluation);

// Repeats the headline's comparisons between a schedule whose layers are split by count and one whose are
// not. Here the former splits its layers by time, too.
Json split_alike_json(const Evaluation& evaluation);

}  // namespace spillway
