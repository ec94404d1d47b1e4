// Towers whose files name their sizes like a vision transformer's, and MoonViT in Kimi-VL and Kimi-K2.5
// (configuration_*.py beside their weights).
#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

// There are 64 x 64 learned positions, interpolated to an image's grid, and rotary ones.
void read_moon_positions(ConfigSection& config, VisionTower& tower) {
  const std::uint64_t rows =
      std::uint64_t{config.size_or("num_position_embeddings", "init_pos_emb_height", 64)} *
      config.size_or("num_position_embeddings", "init_pos_emb_width", 64);
  tower.num_position_embeddings = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, kMostSize));
  const std::vector<std::uint32_t> merge = config.sizes("merge_kernel_size");
  if (merge.size() != 2 || merge[0] != merge[1])
    config.refuse("merge_kernel_size", "two equal sides", counted(merge.size(), "number"));
  tower.spatial_merge_size = merge.empty() ? 1 : merge[0];
  tower.patch_embedding_bias = true;
  tower.norm_after = true;
  tower.rule = {.by = Resizing::Capped};
}

VisionTower read_moon_vit(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  read_moon_positions(config, tower);
  tower.out_hidden_size = config.backbone_width();
  config.expect_word("hidden_act", {"gelu_pytorch_tanh", "gelu"});
  return tower;
}

// What Kimi-K2.5 and later state.
VisionTower read_kimi_sizes(ConfigSection& config) {
  VisionTower tower;
  tower.depth = config.size("depth", "vt_num_hidden_layers");
  tower.hidden_size = config.size("hidden_size", "vt_hidden_size");
  tower.intermediate_size = config.size("intermediate_size", "vt_intermediate_size");
  tower.num_heads = config.size("num_heads", "vt_num_attention_heads");
  tower.in_channels = 3;
  tower.patch_size = config.size("patch_size");
  tower.temporal_patch_size = 1;
  read_moon_positions(config, tower);
  tower.out_hidden_size = config.size("out_hidden_size", "text_hidden_size");
  config.expect_size("mm_hidden_size", tower.hidden_size);
  config.expect_word("merge_type", {"sd2_tpool"});
  config.expect_word("pos_emb_type", {"divided_fixed"});
  config.pass_over({"init_pos_emb_time", "projector_hidden_act"});  // about videos; a GELU
  return tower;
}

VisionTower read_kimi_k2_5_tower(ConfigSection& config) {
  const VisionTower tower = read_kimi_sizes(config);
  config.expect_word("mm_projector_type", {"patchmerger"});
  config.expect_word("video_attn_type", {"spatial_temporal"});
  return tower;
}

// Kimi-K3: RMS norms and no biases; attention is wider than the tower. The merger norms its output.
VisionTower read_kimi_k3_tower(ConfigSection& config) {
  VisionTower tower = read_kimi_sizes(config);
  tower.norm = NormKind::Rms;
  tower.head_width =
      share_of_a_head(config, "qkv_hidden_size", tower.num_heads, config.size("qkv_hidden_size"));
  tower.qkv_bias = tower.output_bias = config.flag("attn_bias", false);
  tower.mlp_bias = config.flag("linear_bias", false);
  tower.patch_embedding_bias = config.flag("patch_embed_proj_bias", false);
  const std::uint32_t joined =
      std::min(tower.hidden_size, kMostSize) * tower.spatial_merge_size * tower.spatial_merge_size;
  tower.projector = {.norm = Projector::Norm::None};
  tower.projector.stages = {{.width = joined, .activated = true},
                            {.width = tower.out_hidden_size, .norm = NormKind::Rms}};
  config.expect_word("norm_type", {"rmsnorm"});
  config.expect_word("mlp_type", {"mlp2"});
  config.expect_word("mm_projector_type", {"patchmergerv2"});
  config.expect_word("activation_func", {"gelu_pytorch_tanh"});
  config.pass_over({"pos_emb_interpolation_mode"});
  return tower;
}

constexpr std::string_view kKimiNote = "Videos are not counted.";

}  // namespace

VisionTower read_vision_transformer(ConfigSection& config) {
  VisionTower tower;
  tower.depth = config.size("depth", "num_hidden_layers");
  tower.hidden_size = config.size("hidden_size");
  tower.intermediate_size = config.size("intermediate_size");
  tower.num_heads = config.size("num_heads", "num_attention_heads");
  tower.in_channels = config.size_or("in_channels", "num_channels", 3);
  tower.patch_size = config.square("patch_size", "patch_size");
  tower.temporal_patch_size = 1;
  return tower;
}

std::uint32_t grid_side(ConfigSection& config, const VisionTower& tower, Grid grid) {
  const std::uint32_t image = config.square("image_size", "image_size");
  if (tower.patch_size == 0) return 0;  // already reported
  if (grid == Grid::Filled && image % tower.patch_size != 0)
    config.refuse("image_size", "a multiple of the patch size " + std::to_string(tower.patch_size),
                  std::to_string(image));
  return image / tower.patch_size;
}

std::uint32_t read_inverse(ConfigSection& config, std::string_view key) {
  constexpr Range kRatio{.above = 0, .at_most = 1, .expected = "a number above 0 and at most 1"};
  const double ratio = config.ratio(key, kRatio).value_or(1);
  const double inverse = std::round(1 / ratio);
  if (inverse * ratio != 1) config.refuse(std::string(key), "one over a whole number", std::to_string(ratio));
  return static_cast<std::uint32_t>(std::min(inverse, 4096.0));
}

extern const VisionFamily kMoonVit = {{"moonvit", "kimi_vl"}, read_moon_vit};
extern const VisionFamily kKimiK2_5Tower = {{"moonvit3d", "kimi_k25"}, read_kimi_k2_5_tower, {kKimiNote}};
extern const VisionFamily kKimiK3Tower = {{"kimi_k3"}, read_kimi_k3_tower, {kKimiNote}};

}  // namespace spillway
