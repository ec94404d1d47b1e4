#include "sweep/grid/file.h"
#include "target.h"

namespace spillway::testing {

const Target kSweep("sweep", "s.json", [](const std::string& path) { SweepFile{path}; });

}  // namespace spillway::testing
