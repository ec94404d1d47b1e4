// SigLIP (arXiv 2303.15343; transformers, models/siglip) and what stands behind it: in Gemma 3 and PaliGemma
// (models/gemma3, paligemma), LLaVA-OneVision (arXiv 2408.03326; models/llava_onevision), SmolVLM (arXiv
// 2504.05299; models/smolvlm, idefics3).
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostTilesOfOneVision = 9;  // anyres_max_9

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

VisionTower read_siglip_tower(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  const std::uint32_t side = grid_side(config, tower, Grid::CutOff);
  tower.num_position_embeddings = side * side;
  tower.window_patches = 0;
  tower.rotary = false;
  tower.patch_embedding_bias = true;
  tower.spatial_merge_size = 1;
  tower.out_hidden_size = config.backbone_width();
  tower.rule = {.by = Resizing::Square, .side = side * tower.patch_size};
  config.expect_flag("vision_use_head", false);
  config.expect_word("hidden_act", {"gelu_pytorch_tanh", "gelu"});
  return tower;
}

VisionTower in_gemma3(ConfigSection& config, VisionTower tower) {
  tower.norm_after = true;
  tower.spatial_merge_size = pooled_side(config.whole(), tower.rule.side / std::max(tower.patch_size, 1U));
  tower.projector = {.norm = Projector::Norm::Joined,
                     .kind = NormKind::Rms,
                     .pooled = true,
                     .biases = false,
                     .inner = std::vector<std::uint32_t>()};
  return tower;
}

VisionTower in_paligemma(ConfigSection& config, VisionTower tower) {
  tower.norm_after = true;
  tower.projector = {.norm = Projector::Norm::None, .inner = std::vector<std::uint32_t>()};
  config.pass_over({"projection_dim", "num_image_tokens", "projector_hidden_act"});
  return tower;
}

// Tiles keep their own attention. Of the tower's output, not the one behind its last norm is read.
VisionTower in_llava_onevision(ConfigSection& config, VisionTower tower) {
  ConfigSection& whole = config.whole();
  tower.unused_weights = 2 * tower.hidden_size;  // that norm
  tower.window_patches = tower.num_position_embeddings;
  tower.projector = {.norm = Projector::Norm::None,
                     .biases = whole.flag("multimodal_projector_bias", true),
                     .inner = std::vector{tower.out_hidden_size},
                     .learned = tower.out_hidden_size};
  tower.rule = {.by = Resizing::Tiles, .side = tower.rule.side, .max_tiles = kMostTilesOfOneVision};
  whole.expect_whole("vision_feature_layer", -1);
  whole.expect_word("vision_feature_select_strategy", {"full"});
  whole.expect_word("vision_aspect_ratio", {"anyres_max_9"});
  whole.expect_word("projector_hidden_act", {"gelu"});
  return tower;
}

VisionTower read_siglip(ConfigSection& config) {
  const VisionTower tower = read_siglip_tower(config);
  const std::string around = config.whole().word("model_type");
  if (around == "gemma3") return in_gemma3(config, tower);
  if (around == "paligemma") return in_paligemma(config, tower);
  if (around == "llava_onevision") return in_llava_onevision(config, tower);
  config.whole().refuse(
      "model_type",
      "gemma3, paligemma or llava_onevision, the models whose projectors after this tower are supported",
      '"' + around + '"');
  return tower;
}

// The patches of scale_factor x scale_factor become one token; images are cut into tiles.
VisionTower read_smolvlm(ConfigSection& config) {
  VisionTower tower = read_siglip_tower(config);
  tower.norm_after = true;
  tower.window_patches = tower.num_position_embeddings;
  tower.spatial_merge_size = config.whole().size_or("spatial_merge_size", "scale_factor", 2);
  tower.projector = {.norm = Projector::Norm::None, .biases = false, .inner = std::vector<std::uint32_t>()};
  tower.rule = {.by = Resizing::Tiles, .side = tower.rule.side, .max_tiles = 16};
  config.pass_over({"max_image_size", "size", "use_base_siglip"});
  return tower;
}

constexpr std::array<std::string_view, 12> kAroundSiglip = {
    "mm_tokens_per_image",         "projection_dim",       "num_image_tokens",
    "projector_hidden_act",        "vision_feature_layer", "vision_feature_select_strategy",
    "vision_aspect_ratio",         "image_grid_pinpoints", "multimodal_projector_bias",
    "use_image_newline_parameter", "mm_projector_type",    "vision_start_of_image"};
// Language models have these keys, too. use_resampler and qk_layer_norms turn off the resampler and the norms
// whose sizes they state.
constexpr std::array<std::string_view, 8> kAroundSmolVlm = {
    "scale_factor",     "perceiver_config",      "pixel_shuffle_factor", "is_llama_config",
    "rope_interleaved", "_flash_attn_2_enabled", "neftune_noise_alpha",  "freeze_config"};

}  // namespace

extern const VisionFamily kSiglip = {{"siglip_vision_model"}, read_siglip, {}, kAroundSiglip};
extern const VisionFamily kSmolVlm = {{"smolvlm_vision", "idefics3_vision", "smolvlm", "idefics3"},
                                      read_smolvlm,
                                      {"Images are cut into at most 16 tiles of image_size by InternVL's "
                                       "rule; the processor, which first resizes "
                                       "to multiples of a tile, may choose others."},
                                      kAroundSmolVlm};

}  // namespace spillway
