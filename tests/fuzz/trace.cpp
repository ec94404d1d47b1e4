#include "target.h"
#include "traces/formats/read_trace.h"
#include "traces/pipeline/pipeline.h"

namespace spillway::testing {

const Target kTrace("trace", "t.json", [](const std::string& path) { measured_pipeline(read_trace(path)); });

}  // namespace spillway::testing
