// Tables of a TOML file.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "launch/write/options.h"

namespace spillway {

// "[parallelism]\ntensor_parallel_degree = 8\n"
class TomlTable {
 public:
  explicit TomlTable(std::string_view name) : name_(name) {}

  // Contract: a text has no quotes, backslashes and control characters.
  template <class Value>
  TomlTable& add(std::string_view key, const Value& value) {
    if constexpr (std::is_same_v<Value, bool>)
      return put(key, value ? "true" : "false");
    else if constexpr (std::is_arithmetic_v<Value>)
      return put(key, option_number(value));
    else
      return put(key, '"' + std::string(value) + '"');
  }
  TomlTable& add(std::string_view key, const std::vector<std::string>& values) {
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "\"" : ", \"") + value + '"';
    return put(key, '[' + list + ']');
  }

  std::string text() const {
    std::string text = '[' + name_ + "]\n";
    for (const auto& [key, value] : settings_) text += key + " = " + value + '\n';
    return text;
  }
  // "parallelism.tensor_parallel_degree=8 "
  std::string one_line() const {
    std::string text;
    for (const auto& [key, value] : settings_) text += name_ + '.' + key + '=' + value + ' ';
    return text;
  }

 private:
  TomlTable& put(std::string_view key, std::string value) {
    settings_.emplace_back(key, std::move(value));
    return *this;
  }

  std::string name_;
  std::vector<std::pair<std::string, std::string>> settings_ = {};
};

}  // namespace spillway
