// Files written for one test, and the refusals from reading them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace spillway::testing {

// Writes a file of this name and content in a folder of this process; later writes replace it.
inline std::string measured_file(const std::string& name, const std::string& content) {
  return folder_of_process().file(name, content);
}

// Returns "line 7: expected ..., found ..."; none if `read` throws nothing.
inline std::vector<std::string> refusals(const std::function<void()>& read) {
  std::vector<std::string> lines;
  try {
    read();
  } catch (const InputError& error) {
    for (const Violation& one : error.violations())
      lines.push_back(one.pointer + ": expected " + one.expected + ", found " + one.found);
  }
  return lines;
}

}  // namespace spillway::testing
