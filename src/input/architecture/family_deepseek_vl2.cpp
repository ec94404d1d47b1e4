// The tower of DeepSeek-VL2 (arXiv 2412.10302; deepseek_vl2/models/siglip_vit.py,
// modeling_deepseek_vl_v2.py): SigLIP-SO400M on tiles, whose patches a projector joins two by two.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint32_t kVl2Heads = 16, kVl2Tile = 384;  // siglip_so400m_patch14_384, SigLIP_MODEL_CONFIG
constexpr std::uint32_t kMostTilesOfVl2 = 9;             // of its candidate_resolutions
constexpr Range kMlpRatioOfVl2{.above = 0, .at_most = 1024, .expected = "a number above 0 and at most 1024"};

void read_vl2_projector(ConfigSection& whole, VisionTower& tower) {
  tower.out_hidden_size = whole.backbone_width();
  tower.spatial_merge_size = 2;
  tower.projector = {.norm = Projector::Norm::None, .inner = std::vector{tower.out_hidden_size}};
  tower.projector.learned = 2 * tower.out_hidden_size;  // ends of rows, and between views
  if (!whole.has("projector_config")) return;
  ConfigSection projector = whole.part("projector_config");
  projector.expect_word("projector_type", {"downsample_mlp_gelu"});
  projector.expect_size("n_embed", tower.out_hidden_size);
  projector.expect_size("input_dim", tower.hidden_size);
  projector.expect_size("depth", 2);
  projector.expect_size("mlp_ratio", 1);
  projector.expect_size("downsample_ratio", 2);
  projector.pass_over({"model_type", "token_pooling"});
  projector.refuse_unknown();
}

// Checkpoints hold the head that pools a whole image, which the model does not call: a query that attends to
// all patches, a norm, and a feed-forward.
std::uint32_t pooling_weights(const VisionTower& tower) {
  const std::uint64_t width = tower.hidden_size, inner = tower.intermediate_size;
  const std::uint64_t weights =
      width + 4 * (width * width + width) + 2 * width + 2 * width * inner + inner + width;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(weights, kMostSize * 64ULL));
}

VisionTower read_deepseek_vl2_tower(ConfigSection& config) {
  VisionTower tower;
  config.expect_word("model_name", {"siglip_so400m_patch14_384"});
  tower.depth = config.size_or("depth", "layers", 27);
  tower.hidden_size = config.size_or("hidden_size", "width", 1152);
  tower.num_heads = config.size_or("num_heads", "heads", kVl2Heads);
  const double inner =
      config.has("mlp_ratio") ? config.ratio("mlp_ratio", kMlpRatioOfVl2).value_or(1) : 3.7362;
  tower.intermediate_size =
      static_cast<std::uint32_t>(std::clamp(std::floor(inner * tower.hidden_size), 1.0, 4294967295.0));
  tower.in_channels = 3;
  tower.patch_size = config.size_or("patch_size", "patch_size", 14);
  tower.temporal_patch_size = 1;
  const std::uint32_t side =
      config.size_or("image_size", "image_size", kVl2Tile) / std::max(tower.patch_size, 1U);
  tower.num_position_embeddings = tower.window_patches = side * side;
  tower.patch_embedding_bias = tower.norm_after = true;
  tower.rotary = false;
  tower.unused_weights = pooling_weights(tower);
  read_vl2_projector(config.whole(), tower);
  const std::uint32_t padded = side + side % 2;
  tower.rule = {.by = Resizing::Tiles, .side = padded * tower.patch_size, .max_tiles = kMostTilesOfVl2};
  return tower;
}

constexpr std::array<std::string_view, 6> kAroundVl2 = {
    "projector_config", "candidate_resolutions", "tile_tag", "global_view_pos", "lm_head", "rm_head"};

}  // namespace

extern const VisionFamily kDeepSeekVl2Tower = {
    {"deepseek_vl_v2"},
    read_deepseek_vl2_tower,
    {"Images are cut into at most 9 tiles by InternVL's rule. The 27 patches of a tile's side count as 28, "
     "to "
     "which the model pads them behind the tower.",
     "Learned tokens at the ends of rows and views are not counted as tokens."},
    kAroundVl2};

}  // namespace spillway
