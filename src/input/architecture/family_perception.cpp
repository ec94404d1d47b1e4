// The tower of Step 3.7: Perception Encoder (arXiv 2504.13181) behind two convolutions of stride 2 and one
// product (NVIDIA/TensorRT-LLM, tensorrt_llm/_torch/models/modeling_step3p7vl.py, after vision_encoder.py
// beside the weights).
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr double kWidenedBy = 8960.0 / 1536.0;    // if the file does not say
constexpr std::uint32_t kStride = 2, kReach = 9;  // of a convolution: patches it skips, patches it reads

std::uint32_t widened(ConfigSection& config, std::uint32_t width) {
  constexpr Range kWide{.above = 0, .at_most = 64, .expected = "a number above 0 and at most 64"};
  return static_cast<std::uint32_t>(
      std::lround(width * config.ratio("mlp_ratio", kWide).value_or(kWidenedBy)));
}

// Each convolution reads 3 x 3 of what is before it, and halves the sides of the image.
Projector convolutions(ConfigSection& whole, const VisionTower& tower) {
  const std::uint32_t width = tower.hidden_size;
  Projector projector = {.norm = Projector::Norm::None};
  projector.stages = {
      {.width = 2 * width, .reads = kReach * width, .patches = kStride * kStride, .bias = true},
      {.width = 4 * width, .reads = kReach * 2 * width, .bias = true},
      {.width = tower.out_hidden_size, .bias = whole.flag("projector_bias", false)}};
  return projector;
}

VisionTower read_perception_encoder(ConfigSection& config) {
  VisionTower tower;
  tower.depth = config.size("depth", "layers");
  tower.hidden_size = config.size("hidden_size", "width");
  tower.num_heads = config.size("num_heads", "heads");
  tower.intermediate_size = widened(config, std::min(tower.hidden_size, 65536U));
  tower.in_channels = config.size_or("in_channels", "num_channels", 3);
  tower.patch_size = config.square("patch_size", "patch_size");
  tower.temporal_patch_size = 1;
  tower.class_embeddings = config.flag("use_cls_token", false) ? 1 : 0;
  const std::uint32_t side = grid_side(config, tower);
  if (config.flag("use_abs_posemb", true))
    tower.num_position_embeddings = side * side + tower.class_embeddings;
  tower.window_patches = side * side;
  tower.rotary = config.flag("use_rope2d", true);
  tower.layer_scale = config.has("ls_init_value");
  tower.norm_before = config.flag("use_ln_pre", true);
  tower.norm_after = config.flag("use_ln_post", false);
  tower.spatial_merge_size = kStride * kStride;
  tower.out_hidden_size = config.backbone_width();
  tower.projector = convolutions(config.whole(), tower);
  tower.rule = {.by = Resizing::Tiles, .side = side * tower.patch_size};
  config.whole().expect_size("understand_projector_stride", kStride);
  config.expect_word("hidden_act", {"quick_gelu", "gelu"});
  config.pass_over({"ls_init_value", "rope_theta", "layer_norm_eps", "output_dim", "pool_type"});
  return tower;
}

constexpr std::array<std::string_view, 4> kAroundPerception = {
    "projector_bias", "understand_projector_stride", "image_token_len", "patch_token_len"};

}  // namespace

extern const VisionFamily kPerceptionEncoder = {
    {"perception_encoder"},
    read_perception_encoder,
    {"Images are cut into tiles of image_size by InternVL's rule; the model's own crops are smaller."},
    kAroundPerception};

}  // namespace spillway
