// Towers of Megatron-LM's examples/multimodal (NVIDIA/Megatron-LM @d98e8a64dd, megatron/core/models/vision/
// clip_vit_model.py): CLIP, SigLIP, InternViT and RADIO, each as its sizes. No such file is published: import
// writes one from a launch script's arguments (launch/megatron/llava.cpp).
#include <vector>

#include "input/architecture/families.h"

namespace spillway {
namespace {

// One product up, an activation, one down; pixel shuffle joins 2 x 2 patches before.
Projector read_megatron_projector(ConfigSection& config, std::uint32_t output_width) {
  Projector projector;
  const std::string norm = config.word("projector_norm");
  projector.norm = norm == "none" ? Projector::Norm::None : Projector::Norm::Joined;
  projector.kind = norm == "RMSNorm" ? NormKind::Rms : NormKind::Layer;
  config.expect_word("projector_norm", {"none", "LayerNorm", "RMSNorm"});
  projector.biases = config.flag("projector_bias", false);
  projector.inner =
      std::vector{config.size_or("projector_hidden_size", "projector_hidden_size", output_width)};
  return projector;
}

void read_megatron_images(ConfigSection& config, VisionTower& tower) {
  const std::uint32_t side = grid_side(config, tower);
  tower.num_position_embeddings = side * side + tower.class_embeddings;
  tower.spatial_merge_size = config.flag("pixel_shuffle", false) ? 2 : 1;
  tower.rule = {.by = Resizing::Square, .side = side * tower.patch_size};
  const auto tiles = config.optional_size("max_num_tiles");
  if (!tiles) return;
  tower.window_patches = side * side;
  tower.rule = {.by = Resizing::Tiles, .side = side * tower.patch_size, .max_tiles = *tiles};
}

VisionTower read_megatron_vit(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  tower.head_width = config.size("head_dim");
  tower.class_embeddings = config.optional_size("class_token_len").value_or(0);
  tower.rotary = false;
  tower.norm = config.word("norm_type") == "rms_norm" ? NormKind::Rms : NormKind::Layer;
  config.expect_word("norm_type", {"layer_norm", "rms_norm"});
  config.expect_word("hidden_act", {"gelu", "silu"});
  tower.gated = config.flag("gated_linear_unit", false);
  tower.qkv_bias = config.flag("add_qkv_bias", true);
  tower.head_norms = config.flag("qk_layernorm", false);
  tower.layer_scale = config.flag("layer_scale", false);
  tower.norm_before = config.flag("norm_before", false);
  tower.norm_after = config.flag("norm_after", false);
  tower.patch_embedding_bias = config.flag("patch_embedding_bias", false);
  read_megatron_images(config, tower);
  tower.out_hidden_size = config.backbone_width();
  tower.projector = read_megatron_projector(config, tower.out_hidden_size);
  return tower;
}

}  // namespace

extern const VisionFamily kMegatronVit = {
    {"megatron_vit"},
    read_megatron_vit,
    {"An image's class tokens count as parameters, but their computing is left out."}};

}  // namespace spillway
