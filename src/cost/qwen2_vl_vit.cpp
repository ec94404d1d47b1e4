#include "cost/qwen2_vl_vit.h"

#include <cmath>

#include "cost/config_check.h"
#include "cost/vision.h"

namespace spillway {
namespace {

std::uint32_t mlp_width(const Qwen2VlVit& vit) {
  return static_cast<std::uint32_t>(std::lround(vit.embed_dim * vit.mlp_ratio));
}

}  // namespace

std::vector<Layer> layers_of(const Qwen2VlVit& vit) {
  std::vector<Layer> layers(vit.depth, vision_layer(vit.embed_dim, vit.num_heads, mlp_width(vit)));
  layers.front() +=
      linear("patch embedding", patch_elements(vit.in_chans, vit.temporal_patch_size, vit.patch_size),
             vit.embed_dim, Share::Columns);
  layers.back() += patch_merger(vit.embed_dim, vit.spatial_merge_size, vit.hidden_size);
  return layers;
}

std::vector<Violation> check_architecture(const Qwen2VlVit& vit) {
  std::vector<Violation> violations =
      check_sizes({{"depth", vit.depth, kMostLayers},
                   {"embed_dim", vit.embed_dim},
                   {"num_heads", vit.num_heads},
                   {"in_chans", vit.in_chans, kMostPatchSide},
                   {"patch_size", vit.patch_size, kMostPatchSide},
                   {"temporal_patch_size", vit.temporal_patch_size, kMostPatchSide},
                   {"spatial_merge_size", vit.spatial_merge_size, kMostPatchSide},
                   {"hidden_size", vit.hidden_size}});
  if (!(vit.mlp_ratio > 0 && vit.mlp_ratio <= kMostMlpRatio)) {
    violations.push_back({"", "/mlp_ratio", "more than 0 and at most 1024", std::to_string(vit.mlp_ratio)});
  }
  require_divides(violations, "num_heads", vit.num_heads, vit.embed_dim);
  return violations;
}

}  // namespace spillway
