// The tower of Gemma 4 (transformers, models/gemma4): rotary and learned positions, norms of queries, keys
// and values, and 3 x 3 patches pooled to a token.
#include <array>

#include "input/architecture/families.h"

namespace spillway {
namespace {

VisionTower read_gemma4_tower(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  tower.norm = NormKind::Rms;
  tower.gated = tower.output_norms = tower.each_head_normed = tower.value_norms = true;
  tower.qkv_bias = tower.output_bias = config.flag("attention_bias", false);
  tower.mlp_bias = false;
  tower.head_width = config.optional_size("head_dim").value_or(0);
  tower.num_position_embeddings = 2 * config.size("num_position_embeddings", "position_embedding_size");
  tower.spatial_merge_size = config.size("spatial_merge_size", "pooling_kernel_size");
  tower.out_hidden_size = config.backbone_width();
  tower.projector = {.norm = Projector::Norm::None, .pooled = true};
  tower.projector.stages = {{.width = tower.out_hidden_size}};
  if (config.flag("standardize", false)) tower.projector.learned = 2 * tower.hidden_size;  // scales, shifts
  const std::uint64_t side = std::uint64_t{tower.patch_size} * tower.spatial_merge_size;
  const std::uint64_t tokens = config.size_or("max_tokens", "default_output_length", 280);
  tower.rule = {.min_pixels = side * side, .max_pixels = tokens * side * side};
  config.expect_size("num_key_value_heads", tower.num_heads);
  config.expect_size("global_head_dim", tower.head_width);
  config.expect_flag("use_clipped_linears", false);
  config.expect_word("hidden_activation", {"gelu_pytorch_tanh", "gelu"});
  return tower;
}

constexpr std::array<std::string_view, 1> kAroundGemma4 = {"vision_soft_tokens_per_image"};

}  // namespace

extern const VisionFamily kGemma4Tower = {
    {"gemma4_vision"},
    read_gemma4_tower,
    {"Images are resized to at most vision_soft_tokens_per_image tokens by area; videos are not counted."},
    kAroundGemma4};

}  // namespace spillway
