#include "report/inputs/images.h"

#include <iostream>

#include "cli/arguments.h"
#include "spec/experiment/trace.h"

namespace spillway {

int images(const ImagesArguments& arguments) {
  if (arguments.rule != "qwen2-vl") refuse_argument("--rule", "qwen2-vl", '"' + arguments.rule + '"');
  const PatchDistribution distribution = read_image_trace(arguments.trace, ResizeRule{});
  std::cout << (arguments.json ? images_json(distribution) : images_text(distribution));
  return 0;
}

}  // namespace spillway
