// Sets variables of a script, also under conditions that are not known.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include "base/findings.h"
#include "launch/shell/state.h"
#include "launch/shell/tree.h"

namespace spillway {

class ShellVariables {
 public:
  // `state` outlives this.
  explicit ShellVariables(ShellState& state) : state_(state) {}

  // Gives a variable, or $1, a value that assignments do not change.
  void fix(const std::string& name, const std::string& value, Findings& findings);
  bool is_fixed(const std::string& name) const { return fixed_.contains(name); }

  // From now on assignments depend on the condition in `line`, which is not known; 0: on none.
  void assume_condition(std::size_t line) { condition_line_ = line; }
  std::size_t condition_line() const { return condition_line_; }

  // NAME=TEXT, NAME+=TEXT, NAME=(...), NAME+=(...).
  void assign(const ShellWord& assignment);
  void assign(const std::string& name, bool appends, ShellValue value, std::size_t line);

 private:
  std::string named(const std::string& text, const std::string& name);
  void assign_perhaps(const std::string& name, bool appends, ShellValue& old, const ShellValue& value,
                      std::size_t line);

  ShellState& state_;
  std::set<std::string, std::less<>> fixed_ = {};
  std::size_t condition_line_ = 0;
};

}  // namespace spillway
