// Steady steps and predictions held against them, as JSON. Two documents have them.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "evaluate/held_steps.h"
#include "traces/logs/steady_steps.h"

namespace spillway {

template <class Value>
nlohmann::ordered_json json_or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json steady_json(const SteadySteps& steady) {
  return {{"warm_up_steps", steady.warm_up},
          {"steps", steady.steps},
          {"mean_s", steady.mean.value()},
          {"median_s", steady.median.value()},
          {"min_s", steady.least.value()},
          {"max_s", steady.most.value()},
          {"cv", steady.cv},
          {"mean_ci95_s", steady.mean_ci95 ? nlohmann::ordered_json(steady.mean_ci95->value())
                                           : nlohmann::ordered_json(nullptr)},
          {"drift", json_or_null(steady.drift)},
          {"drifts", steady.drifts}};
}

inline nlohmann::ordered_json predictions_json(const std::vector<HeldStep>& predicted) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const HeldStep& one : predicted) {
    nlohmann::ordered_json interval;
    if (one.interval)
      interval = {{"from_s", (one.predicted * one.interval->low).value()},
                  {"to_s", (one.predicted * one.interval->high).value()}};
    all.push_back({{"schedule", one.schedule},
                   {"predicted_s", one.predicted.value()},
                   {"measured_s", one.measured.value()},
                   {"error", one.error()},
                   {"interval", interval},
                   {"holds", json_or_null(one.holds())}});
  }
  return all;
}

}  // namespace spillway
