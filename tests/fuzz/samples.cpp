#include "measured/samples/read_samples.h"
#include "target.h"

namespace spillway::testing {

const Target kSamples("samples", "s.csv", [](const std::string& path) { read_samples(path); });

}  // namespace spillway::testing
