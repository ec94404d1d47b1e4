// Numbers in text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace spillway {

// Parses the whole text as a number. Returns nothing if the text has anything else in it, or if the number
// does not fit. An unsigned number has no sign.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace spillway
