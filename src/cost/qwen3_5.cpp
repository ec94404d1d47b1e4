#include "cost/qwen3_5.h"

#include "cost/config_check.h"
#include "cost/conventions.h"
#include "cost/vision.h"

namespace spillway {
namespace {

// The query projection also makes an output gate; queries and keys are normed per head.
LayerCost gated_attention(const Qwen35Text& m) {
  const std::uint64_t query = std::uint64_t{m.num_attention_heads} * m.head_dim;
  const std::uint64_t key = std::uint64_t{m.num_key_value_heads} * m.head_dim;
  LayerCost head_norms = nonlinear(query + key, query + key);
  head_norms.dense_parameters = 2 * m.head_dim;
  LayerCost gate = nonlinear(2 * query, query);
  gate.kept.for_input_gradient -= kElement * static_cast<double>(query);  // attention keeps its output itself
  return linear(m.hidden_size, 2 * query) + on_shared_input(linear(m.hidden_size, 2 * key), m.hidden_size) +
         head_norms +
         attention({m.num_attention_heads, m.num_key_value_heads, m.head_dim, m.head_dim}, true) + gate +
         linear(query, m.hidden_size);
}

constexpr std::uint32_t kChunk = 64;  // tokens

// The chunked gated delta rule: FLOPs per token and value head, chunks of C tokens, keys of k and values of v
// elements. Inside a chunk the products key-key and query-key take 2Ck each, the triangular solves for values
// and keys C(k + v), attention over the new values 2Cv; reading the state twice and updating it takes 2kv
// each. transformers, models/qwen3_5, torch_chunk_gated_delta_rule.
Flops delta_rule(const Qwen35Text& m) {
  constexpr double chunk = kChunk;
  const double k = m.linear_key_head_dim;
  const double v = m.linear_value_head_dim;
  return Flops(4 * chunk * k + chunk * (k + v) + 2 * chunk * v + 6 * k * v) * m.linear_num_value_heads;
}

// With its activation, which needs the input again whether or not the kernel is trained.
LayerCost causal_convolution(std::uint64_t channels, std::uint64_t kernel) {
  LayerCost cost = nonlinear(channels, channels);
  cost.dense_parameters = channels * kernel;
  cost.weights_per_token = Flops(kFlopsPerMac * static_cast<double>(channels * kernel));
  cost.kept.between_gradients = kElement * static_cast<double>(2 * channels);
  return cost;
}

LayerCost gated_delta_net(const Qwen35Text& m) {
  const std::uint64_t value_heads = m.linear_num_value_heads;
  const std::uint64_t keys = std::uint64_t{m.linear_num_key_heads} * m.linear_key_head_dim;
  const std::uint64_t values = value_heads * m.linear_value_head_dim;
  LayerCost rule = nonlinear(2 * keys + values + 2 * value_heads, values);
  const Bytes solved = kElement * static_cast<double>(kChunk * value_heads);  // a row of the chunk's inverse,
  rule.kept.for_backward += solved;  // as flash-linear-attention keeps
  rule.kept.for_input_gradient += solved;
  rule.mixing_per_token = delta_rule(m);
  rule.dense_parameters = 2 * value_heads;  // decay and step bias of each head
  LayerCost gated_norm = nonlinear(2 * values, values);
  gated_norm.dense_parameters = m.linear_value_head_dim;
  return linear(m.hidden_size, 2 * keys + values) +
         on_shared_input(linear(m.hidden_size, values), m.hidden_size) +
         on_shared_input(linear(m.hidden_size, 2 * value_heads), m.hidden_size) +
         causal_convolution(2 * keys + values, m.linear_conv_kernel_dim) + rule + gated_norm +
         linear(values, m.hidden_size);
}

LayerCost text_layer(const Qwen35Text& m, std::uint32_t index) {
  const bool full = (index + 1) % m.full_attention_interval == 0;
  return rms_norm(m.hidden_size) + (full ? gated_attention(m) : gated_delta_net(m)) +
         residual(m.hidden_size) + tensor_parallel_sublayer() + rms_norm(m.hidden_size) +
         swiglu(m.hidden_size, m.intermediate_size) + residual(m.hidden_size) + tensor_parallel_sublayer();
}

}  // namespace

std::vector<LayerCost> layer_costs(const Qwen35Text& m) {
  std::vector<LayerCost> layers;
  for (std::uint32_t i = 0; i < m.num_hidden_layers; ++i) layers.push_back(text_layer(m, i));
  add_vocabulary(layers, m.hidden_size, m.vocab_size);
  return layers;
}

std::vector<LayerCost> layer_costs(const Qwen35Vision& vit) {
  std::vector<LayerCost> layers(vit.depth,
                                vision_layer(vit.hidden_size, vit.num_heads, vit.intermediate_size));
  const std::uint64_t pixels = patch_elements(vit.in_channels, vit.temporal_patch_size, vit.patch_size);
  layers.front() +=
      linear_with_bias(pixels, vit.hidden_size) + embedding(vit.num_position_embeddings, vit.hidden_size);
  layers.back() += patch_merger(vit.hidden_size, vit.spatial_merge_size, vit.out_hidden_size);
  return layers;
}

std::vector<Violation> check_architecture(const Qwen35Text& m) {
  std::vector<Violation> violations =
      check_sizes({{"vocab_size", m.vocab_size},
                   {"hidden_size", m.hidden_size},
                   {"intermediate_size", m.intermediate_size},
                   {"num_hidden_layers", m.num_hidden_layers, kMostLayers},
                   {"num_attention_heads", m.num_attention_heads},
                   {"num_key_value_heads", m.num_key_value_heads},
                   {"head_dim", m.head_dim},
                   {"full_attention_interval", m.full_attention_interval, kMostLayers},
                   {"linear_conv_kernel_dim", m.linear_conv_kernel_dim},
                   {"linear_key_head_dim", m.linear_key_head_dim},
                   {"linear_value_head_dim", m.linear_value_head_dim},
                   {"linear_num_key_heads", m.linear_num_key_heads},
                   {"linear_num_value_heads", m.linear_num_value_heads}});
  require_divides(violations, "num_key_value_heads", m.num_key_value_heads, m.num_attention_heads);
  require_divides(violations, "linear_num_key_heads", m.linear_num_key_heads, m.linear_num_value_heads);
  return violations;
}

std::vector<Violation> check_architecture(const Qwen35Vision& vit) {
  std::vector<Violation> violations =
      check_sizes({{"depth", vit.depth, kMostLayers},
                   {"hidden_size", vit.hidden_size},
                   {"intermediate_size", vit.intermediate_size},
                   {"num_heads", vit.num_heads},
                   {"in_channels", vit.in_channels, kMostPatchSide},
                   {"patch_size", vit.patch_size, kMostPatchSide},
                   {"temporal_patch_size", vit.temporal_patch_size, kMostPatchSide},
                   {"spatial_merge_size", vit.spatial_merge_size, kMostPatchSide},
                   {"out_hidden_size", vit.out_hidden_size},
                   {"num_position_embeddings", vit.num_position_embeddings}});
  require_divides(violations, "num_heads", vit.num_heads, vit.hidden_size);
  return violations;
}

}  // namespace spillway
