#include "commands/images.h"

#include "commands/experiment_input.h"
#include "spec/experiment/trace.h"

namespace spillway {

PatchDistribution images(const ImagesArguments& arguments) {
  if (arguments.rule != "qwen2-vl") refuse_argument("--rule", "qwen2-vl", '"' + arguments.rule + '"');
  return read_image_trace(arguments.trace, ResizeRule{});
}

}  // namespace spillway
