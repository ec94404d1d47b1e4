#include "input/experiment/trace.h"
#include "target.h"

namespace spillway::testing {

const Target kImages("images", "i.csv",
                     [](const std::string& path) { read_image_trace(path, ResizeRule{}); });

}  // namespace spillway::testing
