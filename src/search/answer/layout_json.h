// JSON that documents of plans and of explained layouts share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "search/layout.h"

namespace spillway {

// The values of a layout, from "devices" to "data".
nlohmann::ordered_json layout_json(const PlanJob& job, const PlanLayout& layout);

template <class Value>
nlohmann::ordered_json number_or_null(const std::optional<Value>& value) {
  if (!value) return {};
  if constexpr (std::is_arithmetic_v<Value>)
    return *value;
  else
    return value->value();
}

inline nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace spillway
