// InternViT in InternVL 2 to 3.5: as published (configuration_intern_vit.py, configuration_internvl_chat.py
// beside the weights), and as transformers converts it (models/internvl).
#include <array>
#include <vector>

#include "input/architecture/families.h"

namespace spillway {
namespace {

// The tower without the keys of either form.
VisionTower read_intern_sizes(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  const std::uint32_t side = grid_side(config, tower);
  tower.class_embeddings = 1;
  tower.num_position_embeddings = side * side + 1;
  tower.window_patches = side * side;
  tower.patch_embedding_bias = tower.layer_scale = true;
  tower.rotary = false;
  tower.norm = config.word("norm_type") == "rms_norm" ? NormKind::Rms : NormKind::Layer;
  config.expect_word("norm_type", {"layer_norm", "rms_norm"});
  config.expect_word("hidden_act", {"gelu"});
  ConfigSection& whole = config.whole();
  tower.spatial_merge_size = read_inverse(whole, "downsample_ratio");
  tower.out_hidden_size = config.backbone_width();
  tower.projector = {.norm = Projector::Norm::Joined, .inner = std::vector{tower.out_hidden_size}};
  tower.rule = {.by = Resizing::Tiles, .side = side * tower.patch_size};
  return tower;
}

// Sizes of experts that a tower without use_moe does not have; they are in every file.
void read_absent_experts(ConfigSection& config) {
  config.expect_flag("use_moe", false);
  config.pass_over({"capacity_factor", "eval_capacity_factor", "laux_allreduce", "moe_coeff_ratio",
                    "moe_intermediate_size", "moe_output_scale", "noisy_gate_policy", "num_experts",
                    "num_routed_experts", "num_shared_experts", "shared_expert_intermediate_size",
                    "use_residual", "use_rts", "use_weighted_residual"});
}

VisionTower read_intern_vit(ConfigSection& config) {
  VisionTower tower = read_intern_sizes(config);
  ConfigSection& whole = config.whole();
  tower.qkv_bias = config.flag("qkv_bias", true);
  tower.head_norms = config.flag("qk_normalization", false);
  tower.rule.max_tiles = whole.size_or("max_tiles", "max_dynamic_patch", tower.rule.max_tiles);
  whole.expect_size("force_image_size", tower.rule.side);
  whole.expect_flag("use_thumbnail", true);
  whole.expect_flag("dynamic_image_size", true);
  whole.expect_whole("select_layer", -1);
  whole.expect_size("use_backbone_lora", 0);
  whole.expect_size("use_llm_lora", 0);
  read_absent_experts(config);
  config.pass_over({"dropout"});
  return tower;
}

VisionTower read_internvl_vision(ConfigSection& config) {
  VisionTower tower = read_intern_sizes(config);
  ConfigSection& whole = config.whole();
  tower.qkv_bias = config.flag("attention_bias", false);
  tower.head_norms = config.flag("use_qk_norm", false);
  config.expect_flag("use_absolute_position_embeddings", true);
  config.expect_flag("use_mask_token", false);
  config.expect_flag("use_mean_pooling", true);
  config.pass_over({"dropout", "layer_scale_init_value"});
  whole.expect_whole("vision_feature_layer", -1);
  whole.expect_word("vision_feature_select_strategy", {"default"});
  whole.expect_word("projector_hidden_act", {"gelu"});
  return tower;
}

constexpr std::array<std::string_view, 8> kAroundInternVl = {
    "downsample_ratio", "select_layer",         "use_backbone_lora",    "use_llm_lora",
    "image_fold",       "vision_feature_layer", "projector_hidden_act", "vision_feature_select_strategy"};

constexpr std::string_view kInternClassToken =
    "A tile's class token (1 of 1025) counts as a parameter, but its computing is left out.";
constexpr std::string_view kInternTiles =
    "Attention stays within tiles of image_size; the resize rule determines the number of tiles of an image.";

}  // namespace

extern const VisionFamily kInternVit = {
    {"intern_vit_6b", "internvl_chat"}, read_intern_vit, {kInternClassToken, kInternTiles}, kAroundInternVl};
extern const VisionFamily kInternVlVision = {{"internvl_vision", "internvl"},
                                             read_internvl_vision,
                                             {kInternClassToken, kInternTiles},
                                             kAroundInternVl};

}  // namespace spillway
