#include "launch/import.h"
#include "target.h"

namespace spillway::testing {

// A configuration of the Hugging Face Trainer, of LLaMA-Factory or of NeMo alone.
const Target kLaunchYaml("launch_yaml", "train.yaml", [](const std::string& path) {
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.devices = 8;
  options.images = "coco_val2017";
  options.text_tokens = 100;
  options.arguments = {"vocab_size 1000"};
  import_launch(path, options);
});

}  // namespace spillway::testing
