// What the report says of each schedule, as JSON. Private to src/report/step.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/warning.h"
#include "report/step/drawn_figures.h"

namespace spillway {

using Json = nlohmann::ordered_json;

// A number of one draw, an object of several, whatever they are; null where one of them is no number.
Json figure_json(const std::vector<double>& values);

// `value_of` is asked once per draw.
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

// Of what was run beside the experiment's schedules, in few words.
Json references_json(const Evaluation& evaluation);

// The headline's comparisons between layers that are split by count and others, once more with the count
// replaced by what layers take.
Json split_alike_json(const Evaluation& evaluation);

}  // namespace spillway
