#include "input/platform/framework_reader.h"
#include "target.h"

namespace spillway::testing {

const Target kFramework("framework", "f.json",
                        [](const std::string& path) { read_framework(path, {}, Files()); });

}  // namespace spillway::testing
