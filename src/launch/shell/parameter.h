// The inside of ${...}: a name, an element, an operator and its argument.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/shell/state.h"

namespace spillway {

struct ShellParameter {
  std::string_view name = {};   // "NODES", "1", "@"
  bool length = false;          // ${#NAME}
  bool all_elements = false;    // ${NAME[@]} or $@
  std::string_view index = {};  // of ${NAME[index]}
  std::string_view op = {};     // ":-", "%%", ...; "?" alone is an error of the script; empty: none
  std::string_view argument = {};
  bool known_form = true;  // false: a form that is not evaluated, such as ${!NAME}
};

ShellParameter shell_parameter(std::string_view text);

// The parameter's elements before its operator; nothing if the script has not set it.
std::optional<std::vector<std::string>> value_of(const ShellParameter& parameter, ShellState& state,
                                                 std::size_t line);

// The elements behind the operators that change text: prefixes, suffixes, replacement, case, parts, length.
std::vector<std::string> changed_value(const ShellParameter& parameter, std::vector<std::string> value,
                                       ShellState& state, std::size_t line);

}  // namespace spillway
