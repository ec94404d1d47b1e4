// Folders of the files that the repository ships.
#pragma once

#include <string>

namespace spillway::testing {

inline const std::string kSource = SPILLWAY_SOURCE_DIR;
inline const std::string kExperiments = kSource + "/workloads/experiments/";

}  // namespace spillway::testing
