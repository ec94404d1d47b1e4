// `spillway images`: shows the effect of an image-size trace on the encoder.
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
