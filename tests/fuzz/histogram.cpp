#include "input/experiment/trace.h"
#include "target.h"

namespace spillway::testing {

const Target kHistogram("histogram", "h.csv", [](const std::string& path) { read_histogram(path); });

}  // namespace spillway::testing
