#include "commands/images.h"

#include "commands/experiment_input.h"
#include "spec/experiment/trace.h"
#include "spec/json/shipped_files.h"

namespace spillway {

PatchDistribution images(const ImagesArguments& arguments) {
  if (arguments.rule != "qwen2-vl") refuse_argument("--rule", "qwen2-vl", '"' + arguments.rule + '"');
  return read_image_trace(shipped_or(arguments.trace, "trace"), ResizeRule{});
}

}  // namespace spillway
