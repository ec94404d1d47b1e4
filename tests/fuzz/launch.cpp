#include "launch/import.h"
#include "target.h"

namespace spillway::testing {

// Everything that a user can state beside a script is given, so that a script alone decides.
const Target kLaunch("launch", "train.sh", [](const std::string& path) {
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.devices = 8;
  options.arguments = {"--bf16", "--vocab-size 1000"};
  import_launch(path, options);
});

}  // namespace spillway::testing
