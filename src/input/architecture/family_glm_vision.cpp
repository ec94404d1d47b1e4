// The tower of GLM-4.1V, GLM-4.5V and GLM-4.6V (arXiv 2507.01006; transformers, models/glm4v, glm4v_moe): RMS
// norms, SwiGLU and no biases. Its inner width is out_hidden_size; intermediate_size is the glm_merger's.
#include "input/architecture/families.h"

namespace spillway {
namespace {

// The processor bounds frames x area, and an image counts as two frames (image_processing_glm4v.py,
// smart_resize).
constexpr std::uint64_t kLeastArea = 112 * 112 / 2, kMostArea = std::uint64_t{28} * 28 * 6144;

// A convolution joins patches; then a product, a norm and a GELU, and a gated feed-forward.
Projector glm_merger(const VisionTower& tower, std::uint32_t inner) {
  Projector projector = {.norm = Projector::Norm::None};
  projector.stages = {
      {.width = tower.out_hidden_size, .bias = true},
      {.width = tower.out_hidden_size, .norm = NormKind::Layer, .activated = true},
      {.width = tower.out_hidden_size, .gated_inner = inner},
  };
  return projector;
}

VisionTower read_glm4v_tower(ConfigSection& config) {
  VisionTower tower;
  tower.depth = config.size("depth");
  tower.hidden_size = config.size("hidden_size");
  tower.num_heads = config.size("num_heads");
  tower.in_channels = config.size("in_channels");
  tower.patch_size = config.size("patch_size");
  tower.temporal_patch_size = config.size("temporal_patch_size");
  tower.spatial_merge_size = config.size("spatial_merge_size");
  tower.out_hidden_size = config.size("out_hidden_size");
  tower.intermediate_size = tower.out_hidden_size;
  const std::uint32_t side = grid_side(config, tower);
  tower.num_position_embeddings = side * side;
  tower.patch_embedding_bias = tower.gated = tower.norm_before = tower.norm_after = true;
  tower.qkv_bias = config.flag("attention_bias", false);
  tower.output_bias = tower.mlp_bias = false;
  tower.norm = NormKind::Rms;
  tower.projector = glm_merger(tower, config.size("intermediate_size"));
  tower.rule.min_pixels = kLeastArea;
  tower.rule.max_pixels = kMostArea;
  config.expect_word("hidden_act", {"silu"});
  return tower;
}

}  // namespace

extern const VisionFamily kGlm4vTower = {{"glm4v_vision", "glm4v_moe_vision", "glm4v", "glm4v_moe"},
                                         read_glm4v_tower,
                                         {"Videos are not counted."}};

}  // namespace spillway
