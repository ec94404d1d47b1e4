// `spillway images`: patches per image of an image-size trace, and the share of images at the size limit.
#pragma once

#include <string>

#include "workload/images.h"

namespace spillway {

struct ImagesArguments {
  std::string trace = {};
  std::string rule = "qwen2-vl";
};

PatchDistribution images(const ImagesArguments& arguments);

}  // namespace spillway
