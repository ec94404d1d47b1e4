#include "cost/layers/vision.h"

#include <string>

#include "cost/layers/config_check.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostPatchSide = 4096;

Layer merge_products(std::uint64_t joined, std::uint32_t output_width) {
  return linear_with_bias("merger in", joined, joined, Share::Columns) +
         nonlinear("merger activation", joined, joined, Share::Inner) +
         linear_with_bias("merger out", joined, output_width, Share::Rows);
}

std::uint64_t joined_width(std::uint32_t width, std::uint32_t merge) {
  return std::uint64_t{width} * merge * merge;
}

Layer patch_embedding(const VisionTower& t) {
  const std::uint64_t pixels = patch_elements(t.in_channels, t.temporal_patch_size, t.patch_size);
  const auto product = t.patch_embedding_bias ? linear_with_bias : linear;
  Layer layer = product("patch embedding", pixels, t.hidden_size, Share::Columns);
  if (t.num_position_embeddings > 0) layer += embedding(t.num_position_embeddings, t.hidden_size);
  return layer;
}

void check_taps(std::vector<Violation>& violations, const VisionTower& t) {
  for (std::size_t i = 0; i < t.deepstack_visual_indexes.size(); ++i) {
    const std::uint32_t tap = t.deepstack_visual_indexes[i];
    const std::uint32_t least = i == 0 ? 0 : t.deepstack_visual_indexes[i - 1] + 1;
    if (tap >= least && tap < t.depth) continue;
    violations.push_back({"", "/deepstack_visual_indexes/" + std::to_string(i),
                          "ascending layers below the depth of " + std::to_string(t.depth),
                          std::to_string(tap)});
  }
}

}  // namespace

Layer once_per(Layer layer, double patches) {
  for (Operator& op : layer.operators) {
    op.rows_per_token /= patches;
    op.traffic_per_token = op.traffic_per_token / patches;
    op.kept = op.kept * (1 / patches);
    op.kept_outside = op.kept_outside * (1 / patches);
  }
  return layer;
}

Layer vision_layer(std::uint32_t width, std::uint32_t heads, std::uint32_t inner) {
  const std::uint64_t head = width / heads;
  const Layer norm = inside(Module::Norms, layer_norm(width));
  return norm +
         behind(Module::Norms, linear_with_bias("qkv", width, 3 * std::uint64_t{width}, Share::Columns)) +
         elementwise("rotary", 2 * width, 2 * width, Share::Inner) +
         attention({heads, heads, head, head}, false) +
         linear_with_bias("attention out", width, width, Share::Rows) + residual(width) + norm +
         behind(Module::Norms, from_its_input(Module::Mlp, mlp(width, inner))) + residual(width);
}

Layer patch_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width) {
  return layer_norm(width) +
         once_per(merge_products(joined_width(width, merge), output_width), merge * merge);
}

Layer deepstack_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width) {
  const std::uint64_t joined = joined_width(width, merge);
  return once_per(layer_norm(joined) + merge_products(joined, output_width), merge * merge);
}

std::vector<Layer> layers_of(const VisionTower& t) {
  std::vector<Layer> layers(t.depth, vision_layer(t.hidden_size, t.num_heads, t.intermediate_size));
  layers.front() += patch_embedding(t);
  for (const std::uint32_t tap : t.deepstack_visual_indexes)
    layers[tap] += deepstack_merger(t.hidden_size, t.spatial_merge_size, t.out_hidden_size);
  layers.back() += patch_merger(t.hidden_size, t.spatial_merge_size, t.out_hidden_size);
  return layers;
}

std::vector<Violation> check_architecture(const VisionTower& t) {
  std::vector<Violation> violations =
      check_sizes({{"depth", t.depth, kMostLayers},
                   {"hidden_size", t.hidden_size},
                   {"intermediate_size", t.intermediate_size},
                   {"num_heads", t.num_heads},
                   {"in_channels", t.in_channels, kMostPatchSide},
                   {"patch_size", t.patch_size, kMostPatchSide},
                   {"temporal_patch_size", t.temporal_patch_size, kMostPatchSide},
                   {"spatial_merge_size", t.spatial_merge_size, kMostPatchSide},
                   {"out_hidden_size", t.out_hidden_size}});
  require_at_most(violations, "num_position_embeddings", t.num_position_embeddings, kMostSize);
  require_divides(violations, "num_heads", t.num_heads, t.hidden_size);
  check_taps(violations, t);
  return violations;
}

}  // namespace spillway
