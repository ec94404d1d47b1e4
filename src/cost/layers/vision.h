// Vision towers: a patch embedding, `depth` pre-norm layers, attention within one image or parts of it, and a
// projector that makes one backbone token of spatial_merge_size^2 patches. Costs are per patch. Sizes are
// those of the config.json of Qwen2-VL (arXiv 2409.12191), whose tower is the default. Others are
//   Qwen2.5-VL  arXiv 2502.13923, Qwen3-VL and Qwen3.5  transformers, models/qwen3_vl
//   SigLIP      arXiv 2303.15343, in Gemma 3 (arXiv 2503.19786)
//   InternViT   arXiv 2312.14238, in InternVL 2 to 3.5
//   MoonViT     arXiv 2504.07491, in Kimi-VL and Kimi-K2.5
//   Llama 4     transformers, models/llama4
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "cost/layers/layer.h"
#include "cost/layers/projector.h"
#include "workload/images.h"

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
  std::uint32_t out_hidden_size = 0;          // output width of the projector: the backbone's width
  std::uint32_t num_position_embeddings = 0;  // learned rows; 0: none
  std::uint32_t class_embeddings = 0;  // learned tokens beside an image's patches; only their weights count
  bool patch_embedding_bias = false;
  bool rotary = true;
  bool qkv_bias = true;
  bool key_bias = true;     // with qkv_bias: keys have one, too
  bool output_bias = true;  // of attention
  bool mlp_bias = true;
  std::uint32_t head_width = 0;  // 0: hidden_size / num_heads
  NormKind norm = NormKind::Layer;
  bool gated = false;       // SwiGLU, not GELU
  bool head_norms = false;  // queries and keys are normed over all heads, with a weight for every element
  bool each_head_normed = false;  // or head by head, with a weight for every element of a head
  bool value_norms = false;       // values are normed, too, without weights
  bool layer_scale = false;       // outputs of sublayers are scaled, by a weight for every element
  bool output_norms = false;      // outputs of sublayers are normed
  bool norm_before = false;       // of patches, before the first layer
  bool norm_after = false;        // after the last layer
  // Layers behind the last one that the projector reads, and other weights behind it. They lie in memory,
  // frozen; their computing is left out.
  std::uint32_t unused_layers = 0;
  std::uint32_t unused_weights = 0;
  // Patches that attend to each other, in all layers but full_attention_layers; 0: all patches of an image.
  std::uint32_t window_patches = 0;
  std::vector<std::uint32_t> full_attention_layers = {};
  // DeepStack (arXiv 2406.04334): the layers, counted from 0, after which a separate merger makes features
  // that join the backbone's first layers. Ascending.
  std::vector<std::uint32_t> deepstack_visual_indexes = {};
  Projector projector = {};
  // The rule by which images become patches; its patch and merge are those above.
  ResizeRule rule = {};

  friend bool operator==(const VisionTower&, const VisionTower&) = default;
};

std::vector<Layer> layers_of(const VisionTower& tower);
std::vector<Violation> check_architecture(const VisionTower& tower);

// A layer of the tower, without its ends: attention within windows of so many patches; 0: all of an image's.
Layer tower_layer(const VisionTower& tower, std::uint32_t window);

// A layer of Qwen2-VL's tower, with attention over all patches of one image.
Layer vision_layer(std::uint32_t width, std::uint32_t heads, std::uint32_t inner);

// The operators that make backbone tokens after the last layer.
Layer projector_of(const VisionTower& tower);

// A patch merger that norms the joined patches, as after DeepStack's taps.
Layer deepstack_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width);

// The elements that a patch is embedded from: frames x side x side pixels of `channels` channels.
inline std::uint64_t patch_elements(std::uint32_t channels, std::uint32_t frames, std::uint32_t side) {
  return std::uint64_t{channels} * frames * side * side;
}

}  // namespace spillway
