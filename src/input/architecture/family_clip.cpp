// CLIP (arXiv 2103.00020; transformers, models/clip) in LLaVA-1.5 (arXiv 2310.03744; models/llava) and
// LLaVA-NeXT (models/llava_next).
#include <array>
#include <string>
#include <vector>

#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostTilesOfNext = 4;  // of the grids that released files list

// The projector reads what layer vision_feature_layer puts out, counted from behind: -2 leaves out one layer.
void leave_out_layers(ConfigSection& whole, VisionTower& tower) {
  whole.expect_whole("vision_feature_layer", -2);
  tower.unused_layers = 1;
  tower.unused_weights = 2 * tower.hidden_size;  // of the last norm
  if (tower.depth > 0) --tower.depth;
}

VisionTower read_clip(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  ConfigSection& whole = config.whole();
  const std::uint32_t side = grid_side(config, tower);
  tower.class_embeddings = 1;
  tower.num_position_embeddings = side * side + 1;
  tower.rotary = false;
  tower.norm_before = true;
  tower.spatial_merge_size = 1;
  tower.out_hidden_size = config.backbone_width();
  leave_out_layers(whole, tower);
  tower.projector = {.norm = Projector::Norm::None,
                     .biases = whole.flag("multimodal_projector_bias", true),
                     .inner = std::vector{tower.out_hidden_size}};
  tower.rule = {.by = Resizing::Square, .side = side * tower.patch_size};
  config.expect_word("hidden_act", {"quick_gelu", "gelu"});
  config.pass_over({"projection_dim", "vocab_size"});  // of CLIP's own head and text tower
  whole.expect_word("projector_hidden_act", {"gelu"});
  whole.expect_word("vision_feature_select_strategy", {"default"});
  return tower;
}

// Tiles and a thumbnail, whose rows end with a learned token.
VisionTower read_clip_of_next(ConfigSection& config, VisionTower tower) {
  tower.window_patches = tower.num_position_embeddings - 1;
  tower.projector.learned =
      config.whole().flag("use_image_newline_parameter", true) ? tower.out_hidden_size : 0;
  tower.rule = {.by = Resizing::Tiles, .side = tower.rule.side, .max_tiles = kMostTilesOfNext};
  return tower;
}

VisionTower read_clip_of_llava(ConfigSection& config) {
  const VisionTower tower = read_clip(config);
  const std::string around = config.whole().word("model_type");
  if (around == "llava_next") return read_clip_of_next(config, tower);
  if (around != "llava")
    config.whole().refuse("model_type",
                          "llava or llava_next, the models whose projectors after this tower are supported",
                          '"' + around + '"');
  return tower;
}

constexpr std::array<std::string_view, 6> kAroundClip = {
    "vision_feature_layer", "vision_feature_select_strategy", "projector_hidden_act",
    "image_grid_pinpoints", "multimodal_projector_bias",      "use_image_newline_parameter"};

}  // namespace

extern const VisionFamily kClip = {
    {"clip_vision_model"},
    read_clip_of_llava,
    {"The tower's last layer, which the projector does not read, is weights in memory; its computing is left "
     "out.",
     "An image's class token (1 of 577) counts as a parameter, but its computing is left out.",
     "LLaVA-NeXT's images are cut into at most 4 tiles by InternVL's rule, and keep the tokens of their "
     "padding."},
    kAroundClip};

}  // namespace spillway
