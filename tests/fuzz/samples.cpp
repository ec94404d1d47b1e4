#include "target.h"
#include "traces/samples/read_samples.h"

namespace spillway::testing {

const Target kSamples("samples", "s.csv", [](const std::string& path) { read_samples(path); });

}  // namespace spillway::testing
