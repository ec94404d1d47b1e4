// The words that users write for choices.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace spillway {

// Contract: the value has a word.
template <class Value, std::size_t count>
constexpr std::string_view word_of(const std::array<std::pair<std::string_view, Value>, count>& words,
                                   Value value) {
  return std::ranges::find(words, value, &std::pair<std::string_view, Value>::second)->first;
}

}  // namespace spillway
