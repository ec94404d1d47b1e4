// Members of a JSON object that is written.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "json/node.h"

namespace spillway {

inline void add_member(Object& object, std::string_view key, Node value) {
  object.push_back({std::string(key), std::move(value)});
}
inline void add_member(Object& object, std::string_view key, std::string_view text) {
  add_member(object, key, Node{std::string(text)});
}
inline void add_member(Object& object, std::string_view key, const char* text) {
  add_member(object, key, std::string_view(text));
}
inline void add_member(Object& object, std::string_view key, bool value) {
  add_member(object, key, Node{value});
}
inline void add_member(Object& object, std::string_view key, double value) {
  add_member(object, key, Node{value});
}
template <std::integral Whole>
requires(!std::same_as<Whole, bool>) void add_member(Object& object, std::string_view key, Whole value) {
  add_member(object, key, Node{static_cast<std::int64_t>(value)});
}

// A list of texts or whole numbers.
template <class Values>
Node list_node(const Values& values) {
  List list;
  for (const auto& value : values) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>)
      list.emplace_back().value = static_cast<std::int64_t>(value);
    else
      list.emplace_back().value = std::string(value);
  }
  return {std::move(list)};
}

}  // namespace spillway
