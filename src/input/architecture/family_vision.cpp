// The vision towers of Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5 (transformers, models/qwen2_vl, ...): the
// "vision_config" of their files.
#include <algorithm>
#include <cmath>

#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr Range kMlpRatio{.above = 0, .at_most = 1024, .expected = "a number above 0 and at most 1024"};

void read_patches(ConfigSection& config, VisionTower& tower) {
  tower.patch_size = config.size("patch_size");
  tower.temporal_patch_size = config.size("temporal_patch_size");
  tower.spatial_merge_size = config.size("spatial_merge_size");
}

// A width of zero is already reported.
std::uint32_t rounded(double width) {
  return static_cast<std::uint32_t>(std::clamp(std::round(width), 1.0, 4294967295.0));
}

// In this file hidden_size is the merger's output width, and embed_dim is the tower's own width.
VisionTower read_qwen2_vl_tower(ConfigSection& config) {
  VisionTower tower;
  tower.depth = config.size("depth");
  tower.hidden_size = config.size("hidden_size", "embed_dim");
  tower.intermediate_size = rounded(config.ratio("mlp_ratio", kMlpRatio).value_or(0) * tower.hidden_size);
  tower.num_heads = config.size("num_heads");
  tower.in_channels = config.size("in_channels", "in_chans");
  read_patches(config, tower);
  tower.out_hidden_size = config.size("out_hidden_size", "hidden_size");
  config.expect_word("hidden_act", {"quick_gelu", "gelu"});
  config.pass_over(
      {"spatial_patch_size", "in_channels"});  // beside patch_size and in_chans in released files
  return tower;
}

// This tower has RMS norms and SwiGLU with biases. Attention stays within squares of window_size pixels,
// except in some layers.
VisionTower read_qwen2_5_vl_tower(ConfigSection& config) {
  VisionTower tower;
  tower.depth = config.size("depth");
  tower.hidden_size = config.size_or("hidden_size", "hidden_size", 1280);
  tower.intermediate_size = config.size("intermediate_size");
  tower.num_heads = config.size_or("num_heads", "num_heads", 16);
  tower.in_channels = config.size_or("in_channels", "in_chans", 3);
  tower.patch_size = config.size_or("patch_size", "patch_size", 14);
  tower.temporal_patch_size = config.size_or("temporal_patch_size", "temporal_patch_size", 2);
  tower.spatial_merge_size = config.size_or("spatial_merge_size", "spatial_merge_size", 2);
  tower.out_hidden_size = config.size("out_hidden_size");
  tower.norm = tower.projector.kind = NormKind::Rms;
  tower.gated = true;
  const std::uint32_t side =
      config.size_or("window_patches", "window_size", 112) / std::max(tower.patch_size, 1U);
  tower.window_patches = side * side;
  tower.full_attention_layers = config.sizes("fullatt_block_indexes");
  config.expect_word("hidden_act", {"silu"});
  config.expect_size("embed_dim", tower.hidden_size);
  config.pass_over({"spatial_patch_size", "in_channels", "init_std"});
  return tower;
}

VisionTower read_qwen3_vl_tower(ConfigSection& config) {
  VisionTower tower;
  tower.depth = config.size("depth");
  tower.hidden_size = config.size("hidden_size");
  tower.intermediate_size = config.size("intermediate_size");
  tower.num_heads = config.size("num_heads");
  tower.in_channels = config.size("in_channels");
  read_patches(config, tower);
  tower.out_hidden_size = config.size("out_hidden_size");
  tower.num_position_embeddings = config.size("num_position_embeddings");
  tower.patch_embedding_bias = true;
  tower.deepstack_visual_indexes = config.sizes("deepstack_visual_indexes");
  config.expect_word("hidden_act", {"gelu_pytorch_tanh", "gelu"});
  config.expect_size("in_chans", tower.in_channels);
  config.expect_flag("apply_vit_abs_pos_embed", true);
  config.pass_over({"spatial_patch_size", "image_size"});  // beside patch_size and the table of positions
  tower.rule.video = qwen3_video_rule();
  return tower;
}

}  // namespace

extern const VisionFamily kQwen2VlTower = {{"qwen2_vl"}, read_qwen2_vl_tower};
extern const VisionFamily kQwen2_5VlTower = {
    {"qwen2_5_vl", "qwen2_5_vl_vision", "qwen2_5_omni_thinker"},
    read_qwen2_5_vl_tower,
    {"Windows at the edge of an image, which hold fewer patches, count as full windows."}};
extern const VisionFamily kQwen3VlTower = {
    {"qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "qwen3_vl_vision", "qwen3_omni_moe_thinker"},
    read_qwen3_vl_tower};

}  // namespace spillway
