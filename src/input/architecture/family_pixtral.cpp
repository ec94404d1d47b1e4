// Pixtral's tower (arXiv 2410.07073; transformers, models/pixtral): RMS norms, SwiGLU, no biases, rotary
// positions. Behind it stands LLaVA's projector in Pixtral-12B, and in Mistral Small 3.1 and later one that
// joins patches (transformers, models/mistral3).
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "input/architecture/families.h"

namespace spillway {
namespace {

Projector llava_projector(ConfigSection& whole, std::uint32_t width) {
  return {.norm = Projector::Norm::None,
          .biases = whole.flag("multimodal_projector_bias", true),
          .inner = std::vector{width}};
}

// Patches are normed, joined by a product as wide as one patch, and projected.
Projector merging_projector(ConfigSection& whole, const VisionTower& tower) {
  const bool bias = whole.flag("multimodal_projector_bias", false);
  Projector projector = {.norm = Projector::Norm::Patch, .kind = NormKind::Rms};
  projector.stages = {{.width = tower.hidden_size},
                      {.width = tower.out_hidden_size, .bias = bias, .activated = true},
                      {.width = tower.out_hidden_size, .bias = bias}};
  return projector;
}

VisionTower read_pixtral(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  ConfigSection& whole = config.whole();
  const std::uint32_t image = config.square("image_size", "image_size");
  tower.norm = NormKind::Rms;
  tower.gated = tower.norm_before = true;
  tower.qkv_bias = tower.output_bias = tower.mlp_bias = false;
  tower.head_width = config.optional_size("head_dim").value_or(0);
  tower.out_hidden_size = config.backbone_width();
  const std::string around = whole.word("model_type");
  const bool merges = around == "mistral3";
  tower.spatial_merge_size = merges ? whole.size_or("spatial_merge_size", "spatial_merge_size", 2) : 1;
  tower.projector = merges ? merging_projector(whole, tower) : llava_projector(whole, tower.out_hidden_size);
  const std::uint64_t token = std::uint64_t{tower.patch_size} * std::max(tower.spatial_merge_size, 1U);
  tower.rule = {.min_pixels = token * token, .max_pixels = std::uint64_t{image} * image};
  config.expect_word("hidden_act", {"silu", "gelu"});
  config.pass_over({"is_composition"});
  whole.expect_whole("vision_feature_layer", -1);
  whole.expect_word("vision_feature_select_strategy", {"full"});
  whole.expect_word("projector_hidden_act", {"gelu"});
  return tower;
}

constexpr std::array<std::string_view, 6> kAroundPixtral = {
    "spatial_merge_size",   "vision_feature_layer",      "vision_feature_select_strategy",
    "projector_hidden_act", "multimodal_projector_bias", "is_composition"};

}  // namespace

extern const VisionFamily kPixtral = {
    {"pixtral"},
    read_pixtral,
    {"Images keep at most the area of image_size x image_size; the processor bounds the longer side instead.",
     "Learned tokens at the ends of rows and images are not counted as tokens."},
    kAroundPixtral};

}  // namespace spillway
