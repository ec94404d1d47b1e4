#include "cost/layers/vision.h"

#include <algorithm>
#include <array>
#include <string>

#include "cost/layers/config_check.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostPatchSide = 4096;

// Products alternate: the first reads a tensor outside the sublayer, the second puts one out again, and so
// on.
Layer projection(const Projector& projector, std::uint64_t width, const std::vector<std::uint64_t>& outputs) {
  constexpr std::array<std::string_view, 2> names = {"merger in", "merger out"};
  constexpr std::array<Share, 2> shares = {Share::Columns, Share::Rows};
  const auto product = projector.biases ? linear_with_bias : linear;
  Layer layer;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i > 0) layer += nonlinear("merger activation", width, width, i % 2 ? Share::Inner : Share::Tokens);
    layer += product(names[i % 2], width, outputs[i], shares[i % 2]);
    width = outputs[i];
  }
  // The projector is split by tensors. Its collectives count as wide as the tower.
  return layer + tensor_parallel_sublayer();
}

Layer merge_products(std::uint64_t joined, std::uint32_t output_width) {
  return projection({}, joined, {joined, output_width});
}

std::uint64_t joined_width(std::uint32_t width, std::uint32_t merge) {
  return std::uint64_t{width} * merge * merge;
}

Layer patch_embedding(const VisionTower& t) {
  const std::uint64_t pixels = patch_elements(t.in_channels, t.temporal_patch_size, t.patch_size);
  const auto product = t.patch_embedding_bias ? linear_with_bias : linear;
  Layer layer = product("patch embedding", pixels, t.hidden_size, Share::Tokens);
  if (t.num_position_embeddings > 0) layer += embedding(t.num_position_embeddings, t.hidden_size);
  if (t.class_embeddings > 0)
    layer += parameters(std::uint64_t{t.class_embeddings} * t.hidden_size, Share::Tokens);
  if (t.outer_norms > 1) layer += norm_of(t.norm, t.hidden_size);
  return at_end(layer);
}

// Adds the output of a sublayer to its input.
Layer joined(const VisionTower& t) {
  const std::uint64_t width = t.hidden_size;
  if (!t.layer_scale) return residual(width);
  return nonlinear("gate", width, width, Share::Tokens) + parameters(width, Share::Tokens) + residual(width);
}

Layer self_attention(const VisionTower& t, std::uint32_t window) {
  const std::uint64_t width = t.hidden_size, head = width / t.num_heads;
  Layer scores = attention({t.num_heads, t.num_heads, head, head}, false);
  scores.operators.back().window = window;
  scores.operators.back().blocks = window > 0;
  const auto product = t.qkv_bias ? linear_with_bias : linear;
  Layer layer = product("qkv", width, 3 * width, Share::Columns);
  if (t.head_norms)
    layer +=
        nonlinear("head norms", 2 * width, 2 * width, Share::Inner) + parameters(2 * width, Share::Tokens);
  if (t.rotary) layer += elementwise("rotary", 2 * width, 2 * width, Share::Inner);
  return layer + scores + linear_with_bias("attention out", width, width, Share::Rows);
}

std::uint64_t projected_width(const VisionTower& t) {
  return t.projector.pooled ? t.hidden_size : joined_width(t.hidden_size, t.spatial_merge_size);
}

std::uint32_t window_of(const VisionTower& t, std::uint32_t layer) {
  const bool full = std::ranges::find(t.full_attention_layers, layer) != t.full_attention_layers.end();
  return full ? 0 : t.window_patches;
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

Layer tower_layer(const VisionTower& t, std::uint32_t window) {
  const auto feed_forward = t.gated ? gated_mlp : mlp;
  const Layer norm = inside(Module::Norms, norm_of(t.norm, t.hidden_size));
  return norm + behind(Module::Norms, self_attention(t, window)) + tensor_parallel_sublayer() + joined(t) +
         norm +
         behind(Module::Norms,
                from_its_input(Module::Mlp, feed_forward(t.hidden_size, t.intermediate_size))) +
         tensor_parallel_sublayer() + joined(t);
}

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
  VisionTower tower;
  tower.hidden_size = width;
  tower.num_heads = heads;
  tower.intermediate_size = inner;
  return tower_layer(tower, 0);
}

Layer projector_of(const VisionTower& t) {
  const Projector& projector = t.projector;
  const std::uint64_t width = projected_width(t);
  std::vector<std::uint64_t> outputs = {width};
  if (projector.inner) outputs.assign(projector.inner->begin(), projector.inner->end());
  outputs.push_back(t.out_hidden_size);
  Layer merged = projection(projector, width, outputs);
  if (projector.norm == Projector::Norm::Joined) merged = norm_of(projector.kind, width) + merged;
  const std::uint32_t patches = t.spatial_merge_size * t.spatial_merge_size;
  Layer layer;
  if (t.outer_norms > 0) layer += norm_of(t.norm, t.hidden_size);
  if (projector.norm == Projector::Norm::Patch) layer += norm_of(projector.kind, t.hidden_size);
  if (projector.pooled)
    layer += elementwise("pooling", t.hidden_size, t.hidden_size / patches, Share::Tokens);
  return at_end(layer + once_per(merged, patches));
}

Layer deepstack_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width) {
  const std::uint64_t joined = joined_width(width, merge);
  return at_end(once_per(layer_norm(joined) + merge_products(joined, output_width), merge * merge));
}

std::vector<Layer> layers_of(const VisionTower& t) {
  std::vector<Layer> layers;
  for (std::uint32_t i = 0; i < t.depth; ++i) layers.push_back(tower_layer(t, window_of(t, i)));
  layers.front() += patch_embedding(t);
  for (const std::uint32_t tap : t.deepstack_visual_indexes)
    layers[tap] += deepstack_merger(t.hidden_size, t.spatial_merge_size, t.out_hidden_size);
  layers.back() += projector_of(t);
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
  require_at_most(violations, "window_patches", t.window_patches, kMostSize);
  require_divides(violations, "num_heads", t.num_heads, t.hidden_size);
  check_taps(violations, t);
  return violations;
}

}  // namespace spillway
