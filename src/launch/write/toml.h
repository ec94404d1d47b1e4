// Tables of a TOML file.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace spillway {

// "[parallelism]\ntensor_parallel_degree = 8\n"
class TomlTable {
 public:
  explicit TomlTable(std::string_view name) : text_('[' + std::string(name) + "]\n") {}

  // Contract: a text has no quotes, backslashes and control characters.
  template <class Value>
  TomlTable& add(std::string_view key, const Value& value) {
    text_ += std::string(key) + " = ";
    if constexpr (std::is_same_v<Value, bool>)
      text_ += value ? "true" : "false";
    else if constexpr (std::is_arithmetic_v<Value>)
      text_ += std::to_string(value);
    else
      text_ += '"' + std::string(value) + '"';
    text_ += '\n';
    return *this;
  }
  TomlTable& add(std::string_view key, const std::vector<std::string>& values) {
    text_ += std::string(key) + " = [";
    for (const std::string& value : values) text_ += (&value == values.data() ? "\"" : ", \"") + value + '"';
    text_ += "]\n";
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace spillway
