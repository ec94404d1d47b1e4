// The vision tower of Qwen2-VL (arXiv 2409.12191; transformers, models/qwen2_vl): a patch embedding without
// bias, `depth` pre-norm layers with biases, attention within one image, and a merger that makes one backbone
// token of spatial_merge_size^2 patches.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "cost/layer.h"

namespace spillway {

// "vision_config" of the config.json.
struct Qwen2VlVit {
  std::uint32_t depth;
  std::uint32_t embed_dim;
  double mlp_ratio;
  std::uint32_t num_heads;
  std::uint32_t in_chans;
  std::uint32_t patch_size;
  std::uint32_t temporal_patch_size;
  std::uint32_t spatial_merge_size;
  std::uint32_t hidden_size;  // what the merger puts out: the backbone's width
};

std::vector<Layer> layers_of(const Qwen2VlVit& vit);
std::vector<Violation> check_architecture(const Qwen2VlVit& vit);

}  // namespace spillway
