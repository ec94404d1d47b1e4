#include <filesystem>

#include "target.h"
#include "traces/formats/read_trace.h"

namespace spillway::testing {

const Target kPipelineDump("pipeline_dump", "pp_rank_0.json", [](const std::string& path) {
  read_trace(std::filesystem::path(path).parent_path().string());
});

}  // namespace spillway::testing
