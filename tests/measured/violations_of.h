// Why something was refused, without the file's name: "line 7: expected ..., found ...".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace spillway::testing {

// Empty where nothing was.
inline std::vector<std::string> violations_of(const std::function<void()>& action) {
  std::vector<std::string> all;
  try {
    action();
  } catch (const InputError& bad) {
    for (const Violation& one : bad.violations())
      all.push_back(one.pointer + ": expected " + one.expected + ", found " + one.found);
  }
  return all;
}

}  // namespace spillway::testing
