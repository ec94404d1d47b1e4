#include "cost/layers/vision.h"

#include <algorithm>
#include <string>

#include "base/append.h"
#include "cost/layers/config_check.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostPatchSide = 4096;

std::uint64_t attention_width(const VisionTower& t) {
  return t.head_width > 0 ? std::uint64_t{t.head_width} * t.num_heads : t.hidden_size;
}

Layer patch_embedding(const VisionTower& t) {
  const std::uint64_t pixels = patch_elements(t.in_channels, t.temporal_patch_size, t.patch_size);
  const auto product = t.patch_embedding_bias ? linear_with_bias : linear;
  Layer layer = product("patch embedding", pixels, t.hidden_size, Share::Tokens);
  if (t.num_position_embeddings > 0) layer += embedding(t.num_position_embeddings, t.hidden_size);
  if (t.class_embeddings > 0)
    layer += parameters(std::uint64_t{t.class_embeddings} * t.hidden_size, Share::Tokens);
  if (t.norm_before) layer += norm_of(t.norm, t.hidden_size);
  return at_end(layer);
}

// Adds the output of a sublayer to its input.
Layer joined(const VisionTower& t) {
  const std::uint64_t width = t.hidden_size;
  if (!t.layer_scale) return residual(width);
  return nonlinear("gate", width, width, Share::Tokens) + parameters(width, Share::Tokens) + residual(width);
}

Layer norms_of_heads(const VisionTower& t) {
  const std::uint64_t width = attention_width(t), head = width / t.num_heads;
  Layer layer;
  if (t.head_norms || t.each_head_normed)
    layer += nonlinear("head norms", 2 * width, 2 * width, Share::Inner) +
             parameters(t.each_head_normed ? 2 * head : 2 * width, Share::Tokens);
  if (t.value_norms) layer += nonlinear("value norms", width, width, Share::Inner);
  return layer;
}

Layer queries_keys_values(const VisionTower& t) {
  const std::uint64_t width = attention_width(t);
  const auto product = t.qkv_bias ? linear_with_bias : linear;
  Layer layer = product("qkv", t.hidden_size, 3 * width, Share::Columns);
  if (t.qkv_bias && !t.key_bias) layer.operators.back().parameters -= width;
  return layer;
}

Layer self_attention(const VisionTower& t, std::uint32_t window) {
  const std::uint64_t width = attention_width(t), head = width / t.num_heads;
  Layer scores = attention({t.num_heads, t.num_heads, head, head}, false);
  scores.operators.back().window = window;
  scores.operators.back().blocks = window > 0;
  Layer layer = queries_keys_values(t) + norms_of_heads(t);
  if (t.rotary) layer += elementwise("rotary", 2 * width, 2 * width, Share::Inner);
  const auto output = t.output_bias ? linear_with_bias : linear;
  return layer + scores + output("attention out", width, t.hidden_size, Share::Rows);
}

Layer feed_forward(const VisionTower& t) {
  const std::uint64_t width = t.hidden_size, inner = t.intermediate_size;
  if (t.gated) return t.mlp_bias ? gated_mlp(width, inner) : swiglu(width, inner);
  Layer layer = mlp(width, inner);
  if (t.mlp_bias) return layer;
  layer.operators.front().parameters -= inner;
  layer.operators.back().parameters -= width;
  return layer;
}

std::uint64_t weights_of(const Layer& layer) {
  std::uint64_t sum = 0;
  for (const Operator& op : layer.operators) sum += op.parameters;
  return sum;
}

// Weights that nobody reads.
Layer unused(const VisionTower& t) {
  const std::uint64_t count = t.unused_layers * weights_of(tower_layer(t, 0)) + t.unused_weights;
  Layer layer;
  if (count > 0) {
    layer = parameters(count, Share::Tokens);
    layer.operators.back().frozen = true;
  }
  return layer;
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
  const Layer norm = inside(Module::Norms, norm_of(t.norm, t.hidden_size));
  const Layer after = t.output_norms ? norm_of(t.norm, t.hidden_size) : Layer();
  return norm + behind(Module::Norms, self_attention(t, window)) + after + tensor_parallel_sublayer() +
         joined(t) + norm + behind(Module::Norms, from_its_input(Module::Mlp, feed_forward(t))) + after +
         tensor_parallel_sublayer() + joined(t);
}

Layer vision_layer(std::uint32_t width, std::uint32_t heads, std::uint32_t inner) {
  VisionTower tower;
  tower.hidden_size = width;
  tower.num_heads = heads;
  tower.intermediate_size = inner;
  return tower_layer(tower, 0);
}

Layer projector_of(const VisionTower& t) {
  Layer layer;
  if (t.norm_after) layer += at_end(norm_of(t.norm, t.hidden_size));
  return layer + projector_layer(t.projector, {t.hidden_size, t.spatial_merge_size * t.spatial_merge_size,
                                               t.out_hidden_size});
}

Layer deepstack_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width) {
  return projector_layer({.norm = Projector::Norm::Joined}, {width, merge * merge, output_width});
}

std::vector<Layer> layers_of(const VisionTower& t) {
  std::vector<Layer> layers;
  for (std::uint32_t i = 0; i < t.depth; ++i) layers.push_back(tower_layer(t, window_of(t, i)));
  layers.front() += patch_embedding(t);
  for (const std::uint32_t tap : t.deepstack_visual_indexes)
    layers[tap] += deepstack_merger(t.hidden_size, t.spatial_merge_size, t.out_hidden_size);
  layers.back() += projector_of(t) + unused(t);
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
  if (t.head_width == 0) require_divides(violations, "num_heads", t.num_heads, t.hidden_size);
  require_at_most(violations, "head_width", t.head_width, kMostSize);
  require_at_most(violations, "unused_layers", t.unused_layers, kMostLayers);
  check_taps(violations, t);
  append(violations, check_projector(t.projector));
  return violations;
}

}  // namespace spillway
