#include "launch/import.h"
#include "target.h"

namespace spillway::testing {

// torchtitan's configuration alone.
const Target kLaunchToml("launch_toml", "train.toml", [](const std::string& path) {
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.devices = 8;
  import_launch(path, options);
});

}  // namespace spillway::testing
