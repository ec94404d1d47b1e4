// The vision towers of the Qwen family (Qwen2-VL, arXiv 2409.12191; Qwen3-VL and Qwen3.5, transformers,
// models/qwen3_vl): a patch embedding, `depth` pre-norm layers with biases, attention within one image, and a
// merger that makes one backbone token of spatial_merge_size^2 patches. Costs per patch.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "cost/layers/layer.h"

namespace spillway {

struct VisionTower {
  std::uint32_t depth = 0;
  std::uint32_t hidden_size = 0;
  std::uint32_t intermediate_size = 0;
  std::uint32_t num_heads = 0;
  std::uint32_t in_channels = 0;
  std::uint32_t patch_size = 0;
  std::uint32_t temporal_patch_size = 0;
  std::uint32_t spatial_merge_size = 0;
  std::uint32_t out_hidden_size = 0;          // what the merger puts out: the backbone's width
  std::uint32_t num_position_embeddings = 0;  // learned rows; 0: rotary positions alone
  bool patch_embedding_bias = false;
  // DeepStack (arXiv 2406.04334): layers, counted from 0, behind which a merger of its own makes features
  // that join the backbone's first layers. Ascending.
  std::vector<std::uint32_t> deepstack_visual_indexes;
};

std::vector<Layer> layers_of(const VisionTower& tower);
std::vector<Violation> check_architecture(const VisionTower& tower);

// A pre-norm layer with biases; attention over all patches of one image.
Layer vision_layer(std::uint32_t width, std::uint32_t heads, std::uint32_t inner);

// A norm of every patch, then two products over merge x merge patches side by side.
Layer patch_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width);

// A patch merger whose norm is over the patches side by side, as behind DeepStack's taps.
Layer deepstack_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width);

// The layer with its parameters, run once for every `patches` patches.
Layer once_per(Layer layer, double patches);

// What a patch is embedded from: frames x side x side pixels of so many channels.
inline std::uint64_t patch_elements(std::uint32_t channels, std::uint32_t frames, std::uint32_t side) {
  return std::uint64_t{channels} * frames * side * side;
}

}  // namespace spillway
