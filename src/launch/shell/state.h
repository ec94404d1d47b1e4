// What a script has set so far.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launch/shell/marks.h"

namespace spillway {

struct ShellValue {
  std::vector<std::string> elements = {};  // a plain variable has one
  bool is_list = false;
};

struct ShellState {
  std::map<std::string, ShellValue, std::less<>> variables = {};
  std::vector<std::string> positional = {};  // $1 and on
  UnknownParts unknowns = {};
  int depth = 0;          // of expansions inside expansions
  bool too_long = false;  // a text or a list was cut

  const ShellValue* find(std::string_view name) const {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : &found->second;
  }
  std::string unknown(std::size_t line, const std::string& what) {
    return unknowns.mark({false, {}, "line " + std::to_string(line) + ": " + what});
  }
};

// The largest text and the longest list of a script. Larger ones are cut, and the script is refused.
inline constexpr std::size_t kLongestShellText = std::size_t{1} << 20;
inline constexpr std::size_t kLongestShellList = 100000;

}  // namespace spillway
