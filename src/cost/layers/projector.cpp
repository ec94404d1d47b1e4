#include "cost/layers/projector.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/append.h"
#include "cost/layers/config_check.h"
namespace spillway {
namespace {

Layer merger_product(std::string_view name, std::uint64_t in, std::uint64_t out, Share share, bool bias) {
  return bias ? linear_with_bias(name, in, out, share) : linear(name, in, out, share);
}

// Products alternate: the first reads a tensor outside the sublayer, the second puts one out again, and so
// on.
Layer alternating_products(const Projector& projector, std::uint64_t width,
                           const std::vector<std::uint64_t>& outputs) {
  constexpr std::array<std::string_view, 2> names = {"merger in", "merger out"};
  constexpr std::array<Share, 2> shares = {Share::Columns, Share::Rows};
  Layer layer;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i > 0) layer += nonlinear("merger activation", width, width, i % 2 ? Share::Inner : Share::Tokens);
    layer += merger_product(names[i % 2], width, outputs[i], shares[i % 2], projector.biases);
    width = outputs[i];
  }
  // The projector is split by tensors. Its collectives count as wide as the tower.
  return layer + tensor_parallel_sublayer();
}

Layer gated_products(std::uint64_t in, std::uint64_t inner, std::uint64_t out, bool bias) {
  return merger_product("merger in", in, 2 * inner, Share::Tokens, bias) +
         nonlinear("merger swiglu", 2 * inner, inner, Share::Tokens) +
         merger_product("merger out", inner, out, Share::Tokens, bias);
}

Layer stage_layer(const ProjectorStage& stage, std::uint64_t in) {
  Layer layer = stage.gated_inner > 0
                    ? gated_products(in, stage.gated_inner, stage.width, stage.bias)
                    : merger_product("merger in", in, stage.width, Share::Tokens, stage.bias);
  if (stage.norm) layer += norm_of(*stage.norm, stage.width);
  if (stage.activated) layer += nonlinear("merger activation", stage.width, stage.width, Share::Tokens);
  return layer;
}

Layer all_stages(const Projector& projector, std::uint64_t joined, std::uint32_t patches) {
  Layer layer;
  std::uint64_t width = joined;
  for (const ProjectorStage& stage : projector.stages) {
    const std::uint64_t in = stage.reads > 0 ? stage.reads : width;
    layer += once_per(stage_layer(stage, in), stage.patches > 0 ? stage.patches : patches);
    width = stage.width;
  }
  return layer;
}

// A product between activations, without weights: scores of a patch with every query, and its share in their
// results.
Layer between_activations(std::string_view name, std::uint64_t in, std::uint64_t out) {
  Layer layer = linear(name, in, out, Share::Tokens);
  layer.operators.back().parameters = 0;
  return layer;
}

// The products of queries and of results run once for every query, those of keys and values for every patch.
Layer resampling(const Resampler& r, const ProjectorEnds& ends) {
  const std::uint64_t width = ends.output_width;
  const Layer of_queries =
      layer_norm(width) + merger_product("merger queries", width, width, Share::Tokens, true);
  const Layer of_results = merger_product("merger results", width, width, Share::Tokens, true) +
                           layer_norm(width) +
                           merger_product("merger out", width, width, Share::Tokens, false);
  return merger_product("merger in", ends.patch_width, width, Share::Tokens, false) + layer_norm(width) +
         merger_product("merger keys and values", width, 2 * width, Share::Tokens, true) +
         once_per(of_queries, ends.patches) + between_activations("merger scores", width, r.queries) +
         nonlinear("merger softmax", std::uint64_t{r.queries} * r.heads, std::uint64_t{r.queries} * r.heads,
                   Share::Tokens) +
         between_activations("merger attention", r.queries, width) + once_per(of_results, ends.patches) +
         parameters(std::uint64_t{r.queries} * width, Share::Tokens);
}

Layer joined_products(const Projector& projector, std::uint64_t joined, std::uint32_t output_width) {
  std::vector<std::uint64_t> outputs = {joined};
  if (projector.inner) outputs.assign(projector.inner->begin(), projector.inner->end());
  outputs.push_back(output_width);
  return alternating_products(projector, joined, outputs);
}

}  // namespace

std::vector<Violation> check_projector(const Projector& projector) {
  std::vector<Violation> violations;
  for (const ProjectorStage& stage : projector.stages) {
    append(violations, check_sizes({{"projector", stage.width}}));
    require_at_most(violations, "projector", stage.reads, kMostSize);
    require_at_most(violations, "projector", stage.gated_inner, kMostSize);
  }
  if (projector.resampler)
    append(violations, check_sizes({{"query_num", projector.resampler->queries},
                                    {"hidden_size", projector.resampler->heads}}));
  return violations;
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

Layer projector_layer(const Projector& projector, const ProjectorEnds& ends) {
  const std::uint64_t joined = projector.pooled ? ends.patch_width : ends.patch_width * ends.patches;
  Layer layer;
  if (projector.norm == Projector::Norm::Patch) layer += norm_of(projector.kind, ends.patch_width);
  if (projector.pooled)
    layer += elementwise("pooling", ends.patch_width, ends.patch_width / ends.patches, Share::Tokens);
  if (projector.learned > 0) layer += parameters(projector.learned, Share::Tokens);
  if (projector.resampler) return at_end(layer + resampling(*projector.resampler, ends));
  if (projector.norm == Projector::Norm::Joined)
    layer += once_per(norm_of(projector.kind, joined), ends.patches);
  if (projector.stages.empty())
    return at_end(layer + once_per(joined_products(projector, joined, ends.output_width), ends.patches));
  return at_end(layer + all_stages(projector, joined, ends.patches));
}

}  // namespace spillway
