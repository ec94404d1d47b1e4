#include "input/platform/platform_reader.h"
#include "target.h"

namespace spillway::testing {

const Target kPlatform("platform", "p.json", [](const std::string& path) { read_platform(path); });

}  // namespace spillway::testing
