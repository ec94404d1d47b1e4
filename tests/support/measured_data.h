// Finds measurements that are too large to ship, in the folder that SPILLWAY_MEASURED_DATA names.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace spillway::testing {

// Returns the path of a file or folder there, or nullopt if the variable is unset.
inline std::optional<std::string> measured_data(const std::string& name) {
  const char* folder = std::getenv("SPILLWAY_MEASURED_DATA");
  if (folder == nullptr) return std::nullopt;
  return std::string(folder) + "/" + name;
}

}  // namespace spillway::testing
