// Measurements that are too large to ship, where SPILLWAY_MEASURED_DATA says they lie.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace spillway::testing {

// Path of a file or folder of them; none where the variable is unset.
inline std::optional<std::string> measured_data(const std::string& name) {
  const char* folder = std::getenv("SPILLWAY_MEASURED_DATA");
  if (folder == nullptr) return std::nullopt;
  return std::string(folder) + "/" + name;
}

}  // namespace spillway::testing
