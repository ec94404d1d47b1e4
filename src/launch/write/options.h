// Options of a command line, in groups that a script writes as arrays.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "json/document.h"
#include "launch/command/arguments.h"

namespace spillway {

struct LaunchOption {
  std::string name;  // "--num-layers"
  std::vector<std::string> values = {};
};

// The shortest text that reads back as this number.
template <class Number>
std::string option_number(Number number) {
  if constexpr (std::is_integral_v<Number>)
    return std::to_string(number);
  else
    return compact_json({number});
}

class OptionGroup {
 public:
  explicit OptionGroup(std::string name) : name_(std::move(name)) {}

  OptionGroup& add(std::string_view name) {
    options_.push_back({std::string(name)});
    return *this;
  }
  template <class Value>
  OptionGroup& add(std::string_view name, const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
      options_.push_back({std::string(name), {option_number(value)}});
    else
      options_.push_back({std::string(name), {std::string(value)}});
    return *this;
  }
  OptionGroup& add(std::string_view name, std::vector<std::string> values) {
    options_.push_back({std::string(name), std::move(values)});
    return *this;
  }

  const std::string& name() const { return name_; }  // of the array: "MODEL_ARGS"
  const std::vector<LaunchOption>& options() const { return options_; }

 private:
  std::string name_;
  std::vector<LaunchOption> options_ = {};
};

// A word as a shell reads it: in single quotes where it needs them. Contract: no single quote in it.
std::string shell_word(const std::string& word);

// "MODEL_ARGS=(\n  --num-layers 32\n)\n"
std::string shell_array(const OptionGroup& group);

// "--tensor-model-parallel-size 2 --bf16"
std::string one_line(const std::vector<OptionGroup>& groups);

// The same options as a reader has them from a script.
std::vector<LaunchArgument> read_as_arguments(const std::vector<OptionGroup>& groups);

}  // namespace spillway
