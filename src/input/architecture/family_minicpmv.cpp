// MiniCPM-V (arXiv 2408.01800; configuration_minicpm.py, modeling_minicpmv.py, resampler.py beside its
// weights): SigLIP on slices of an image, and learned queries that attend to each slice. The language model's
// keys are the document's; its family depends on the version.
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "input/architecture/families.h"
#include "input/architecture/family_list.h"

namespace spillway {
namespace {

constexpr std::uint32_t kWidthOfAHead = 128;  // modeling_minicpmv.py, init_resampler
constexpr std::uint32_t kMostSlices = 9;

// A slice of image_size x image_size pixels becomes query_num tokens.
std::uint32_t patches_along_a_token(ConfigSection& whole, std::uint32_t patches, std::uint32_t queries) {
  for (std::uint64_t merge = 1; queries > 0 && merge * merge * queries <= patches; ++merge)
    if (merge * merge * queries == patches) return static_cast<std::uint32_t>(merge);
  whole.refuse("query_num",
               "tokens of a slice of which each stands for a square of its " + std::to_string(patches) +
                   " patches: others are not supported",
               std::to_string(queries));
  return 1;
}

VisionTower read_minicpmv_tower(ConfigSection& config) {
  ConfigSection& whole = config.whole();
  VisionTower tower = read_vision_transformer(config);
  const std::uint32_t side = grid_side(config, tower);
  const std::uint32_t slice = whole.size_or("image_size", "image_size", 448);
  const std::uint32_t across = tower.patch_size > 0 ? slice / tower.patch_size : 0;
  const std::uint32_t queries = whole.size_or("spatial_merge_size", "query_num", 64);
  tower.num_position_embeddings = side * side;
  tower.window_patches = across * across;
  tower.rotary = false;
  tower.patch_embedding_bias = tower.norm_after = true;
  tower.spatial_merge_size = patches_along_a_token(whole, across * across, queries);
  tower.out_hidden_size = config.backbone_width();
  if (whole.flag("drop_vision_last_layer", true) && tower.depth > 0) --tower.depth;
  tower.projector = {.norm = Projector::Norm::None};
  tower.projector.resampler = Resampler{queries, tower.out_hidden_size / kWidthOfAHead};
  tower.rule = {.by = Resizing::Tiles, .side = slice, .max_tiles = kMostSlices};
  if (whole.has("slice_config")) {
    ConfigSection slices = whole.part("slice_config");
    tower.rule.max_tiles = slices.size_or("max_tiles", "max_slice_nums", kMostSlices);
    slices.pass_over({"patch_size", "scale_resolution", "model_type"});
    slices.refuse_unknown();
  }
  config.expect_word("hidden_act", {"gelu_pytorch_tanh", "gelu"});
  return tower;
}

// Released files write 2.6 and "2.6". Returns tenths; 0 if there is no version.
long version_of(ConfigSection& config) {
  constexpr Range kVersions{.above = 0, .at_most = 100, .expected = "a version"};
  const std::string word = config.word("version");
  if (!word.empty()) return std::lround(10 * std::strtod(word.c_str(), nullptr));
  return config.has("version") ? std::lround(10 * config.ratio("version", kVersions).value_or(0)) : 0;
}

TextModel read_minicpmv(ConfigSection& config) {
  const long version = version_of(config);
  if (version == 26) return kQwen2.read(config);
  if (version == 45) return kQwen3.read(config);
  return kLlama.read(config);
}

constexpr std::array<std::string_view, 9> kAroundMiniCpmV = {
    "version",    "query_num",          "image_size",        "slice_config", "drop_vision_last_layer",
    "slice_mode", "batch_vision_input", "vision_batch_size", "patch_size"};
constexpr std::string_view kMiniCpmSlices =
    "Images are cut into slices by InternVL's rule; the model's own slices keep their shape and about the "
    "same "
    "area, and each becomes query_num tokens.";

}  // namespace

extern const VisionFamily kMiniCpmVTower = {
    {"siglip", "minicpmv"}, read_minicpmv_tower, {kMiniCpmSlices}, kAroundMiniCpmV};
extern const TextFamily kMiniCpmV = {{"minicpmv"}, read_minicpmv};

}  // namespace spillway
