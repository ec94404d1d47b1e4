// Towers whose files name their sizes like a vision transformer's: SigLIP (transformers, models/siglip) in
// Gemma 3 and PaliGemma, InternViT in InternVL, MoonViT in Kimi-VL and Kimi-K2.5 (configuration_*.py beside
// their weights).
#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

// Returns the patches along the side of a square image.
std::uint32_t grid_side(ConfigSection& config, const VisionTower& tower) {
  const std::uint32_t image = config.size("image_size");
  if (tower.patch_size == 0) return 0;  // already reported
  if (image % tower.patch_size != 0)
    config.refuse("image_size", "a multiple of the patch size " + std::to_string(tower.patch_size),
                  std::to_string(image));
  return image / tower.patch_size;
}

// Gemma 3 pools the patches of an image to that many tokens.
std::uint32_t pooled_side(ConfigSection& whole, std::uint32_t side) {
  const std::uint32_t tokens = whole.size_or("spatial_merge_size", "mm_tokens_per_image", 256);
  for (std::uint32_t merge = 1; merge <= side; ++merge)
    if (side % merge == 0 && (side / merge) * (side / merge) == tokens) return merge;
  whole.refuse("mm_tokens_per_image",
               "the square of a divisor of the " + std::to_string(side) + " patches of a side",
               std::to_string(tokens));
  return 1;
}

VisionTower read_siglip(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  const std::uint32_t side = grid_side(config, tower);
  tower.num_position_embeddings = side * side;
  tower.rotary = false;
  tower.patch_embedding_bias = true;
  tower.outer_norms = 1;
  tower.out_hidden_size = config.backbone_width();
  config.expect_flag("vision_use_head", false);
  config.expect_word("hidden_act", {"gelu_pytorch_tanh", "gelu"});
  const std::string around = config.whole().word("model_type");
  if (around == "gemma3") {
    tower.spatial_merge_size = pooled_side(config.whole(), side);
    tower.rule = {.by = Resizing::Square, .side = side * tower.patch_size};
    tower.projector = {.norm = Projector::Norm::Joined,
                       .kind = NormKind::Rms,
                       .pooled = true,
                       .biases = false,
                       .inner = std::vector<std::uint32_t>()};
  } else if (around == "paligemma") {
    tower.spatial_merge_size = 1;
    tower.rule = {.by = Resizing::Square, .side = side * tower.patch_size};
    tower.projector = {.norm = Projector::Norm::None, .inner = std::vector<std::uint32_t>()};
    config.pass_over({"projection_dim", "num_image_tokens", "projector_hidden_act"});
  } else {
    config.whole().refuse("model_type",
                          "gemma3 or paligemma, the models whose projectors after this tower are supported",
                          '"' + around + '"');
  }
  return tower;
}

VisionTower read_intern_vit(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  ConfigSection& whole = config.whole();
  const std::uint32_t side = grid_side(config, tower);
  tower.class_embeddings = 1;
  tower.num_position_embeddings = side * side + 1;
  tower.window_patches = side * side;
  tower.patch_embedding_bias = tower.layer_scale = true;
  tower.rotary = false;
  tower.qkv_bias = config.flag("qkv_bias", true);
  tower.head_norms = config.flag("qk_normalization", false);
  tower.norm = config.word("norm_type") == "rms_norm" ? NormKind::Rms : NormKind::Layer;
  config.expect_word("norm_type", {"layer_norm", "rms_norm"});
  config.expect_word("hidden_act", {"gelu"});
  tower.spatial_merge_size = read_inverse(whole, "downsample_ratio");
  tower.out_hidden_size = config.backbone_width();
  tower.projector = {.norm = Projector::Norm::Joined, .inner = std::vector{tower.out_hidden_size}};
  tower.rule = {.by = Resizing::Tiles, .side = side * tower.patch_size};
  tower.rule.max_tiles = whole.size_or("max_tiles", "max_dynamic_patch", tower.rule.max_tiles);
  whole.expect_size("force_image_size", tower.rule.side);
  whole.expect_flag("use_thumbnail", true);
  whole.expect_flag("dynamic_image_size", true);
  whole.expect_whole("select_layer", -1);
  whole.expect_size("use_backbone_lora", 0);
  return tower;
}

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
  tower.outer_norms = 1;
  tower.rule = {.by = Resizing::Capped};
}

VisionTower read_moon_vit(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  read_moon_positions(config, tower);
  tower.out_hidden_size = config.backbone_width();
  config.expect_word("hidden_act", {"gelu_pytorch_tanh", "gelu"});
  return tower;
}

VisionTower read_kimi_k2_5_tower(ConfigSection& config) {
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
  config.expect_word("mm_projector_type", {"patchmerger"});
  config.expect_word("merge_type", {"sd2_tpool"});
  config.expect_word("pos_emb_type", {"divided_fixed"});
  config.expect_word("video_attn_type", {"spatial_temporal"});
  config.pass_over({"init_pos_emb_time", "projector_hidden_act"});  // about videos; a GELU
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
  tower.patch_size = config.size("patch_size");
  tower.temporal_patch_size = 1;
  return tower;
}

std::uint32_t read_inverse(ConfigSection& config, std::string_view key) {
  constexpr Range kRatio{.above = 0, .at_most = 1, .expected = "a number above 0 and at most 1"};
  const double ratio = config.ratio(key, kRatio).value_or(1);
  const double inverse = std::round(1 / ratio);
  if (inverse * ratio != 1) config.refuse(std::string(key), "one over a whole number", std::to_string(ratio));
  return static_cast<std::uint32_t>(std::min(inverse, 4096.0));
}

extern const VisionFamily kSiglip = {{"siglip_vision_model"}, read_siglip};
extern const VisionFamily kInternVit = {
    {"intern_vit_6b", "internvl_chat"},
    read_intern_vit,
    {"A tile's class token (1 of 1025) counts as a parameter, but its computing is left out.",
     "Attention stays within tiles of image_size; the resize rule determines the number of tiles of an "
     "image."}};
extern const VisionFamily kMoonVit = {{"moonvit", "kimi_vl"}, read_moon_vit};
extern const VisionFamily kKimiK2_5Tower = {{"moonvit3d", "kimi_k25"}, read_kimi_k2_5_tower, {kKimiNote}};

}  // namespace spillway
