// JSON of values that may be unknown. Private to src/search/answer.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

namespace spillway {

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
