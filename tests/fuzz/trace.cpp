#include "measured/formats/read_trace.h"
#include "measured/pipeline/pipeline.h"
#include "target.h"

namespace spillway::testing {

const Target kTrace("trace", "t.json", [](const std::string& path) { measured_pipeline(read_trace(path)); });

}  // namespace spillway::testing
