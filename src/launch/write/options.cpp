// Test: tests/launch/write_job_test.cpp.
#include "launch/write/options.h"

#include "base/error.h"
#include "base/text.h"

namespace spillway {

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  ensure(word.find('\'') == std::string::npos, "no word of a launch has quotes");
  return '\'' + word + '\'';
}

std::string shell_array(const OptionGroup& group) {
  std::string text = group.name() + "=(\n";
  for (const LaunchOption& option : group.options()) {
    text += "  " + option.name;
    for (const std::string& value : option.values) text += ' ' + shell_word(value);
    text += '\n';
  }
  return text + ")\n";
}

std::string one_line(const std::vector<OptionGroup>& groups) {
  std::string text;
  for (const OptionGroup& group : groups)
    for (const LaunchOption& option : group.options()) {
      add_to_list(text, option.name, " ");
      for (const std::string& value : option.values) text += ' ' + shell_word(value);
    }
  return text;
}

std::vector<LaunchArgument> read_as_arguments(const std::vector<OptionGroup>& groups) {
  std::vector<LaunchArgument> arguments;
  for (const OptionGroup& group : groups)
    for (const LaunchOption& option : group.options()) {
      LaunchArgument& argument = arguments.emplace_back(LaunchArgument{option.name, {}, 0});
      for (const std::string& value : option.values) argument.values.push_back({value, 0});
    }
  return arguments;
}

}  // namespace spillway
