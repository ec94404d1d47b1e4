#include "cost/qwen3_5.h"

#include "cost/config_check.h"
#include "cost/conventions.h"
#include "cost/vision.h"

namespace spillway {
namespace {

// The query projection also makes an output gate; queries and keys are normed per head.
Layer gated_attention(const Qwen35Text& m) {
  const std::uint64_t query = std::uint64_t{m.num_attention_heads} * m.head_dim;
  const std::uint64_t key = std::uint64_t{m.num_key_value_heads} * m.head_dim;
  Layer gate = nonlinear("output gate", 2 * query, query, Share::Inner);
  // Attention keeps its output itself.
  gate.operators.back().kept.for_input_gradient -= kElement * static_cast<double>(query);
  return linear("q and gate", m.hidden_size, 2 * query, Share::Columns) +
         on_shared_input(linear("kv", m.hidden_size, 2 * key, Share::Columns), m.hidden_size) +
         nonlinear("head norms", query + key, query + key, Share::Inner) +
         parameters(2 * m.head_dim, Share::Tokens) +
         attention({m.num_attention_heads, m.num_key_value_heads, m.head_dim, m.head_dim}, true) + gate +
         linear("attention out", query, m.hidden_size, Share::Rows);
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
Layer causal_convolution(std::uint64_t channels, std::uint64_t kernel) {
  Layer layer = nonlinear("convolution", channels, channels, Share::Inner);
  Operator& op = layer.operators.back();
  op.k = kernel;  // counted in FLOPs; the time is that of the memory
  op.n = channels;
  op.parameters = channels * kernel;
  op.kept.between_gradients = kElement * static_cast<double>(2 * channels);
  return layer;
}

Layer delta_rule_scan(const Qwen35Text& m) {
  const std::uint64_t value_heads = m.linear_num_value_heads;
  const std::uint64_t keys = std::uint64_t{m.linear_num_key_heads} * m.linear_key_head_dim;
  const std::uint64_t values = value_heads * m.linear_value_head_dim;
  Layer layer = nonlinear("delta rule", 2 * keys + values + 2 * value_heads, values, Share::Inner);
  Operator& op = layer.operators.back();
  op.kind = OperatorKind::Scan;
  const Bytes solved = kElement * static_cast<double>(kChunk * value_heads);  // a row of the chunk's inverse,
  op.kept.for_backward += solved;  // as flash-linear-attention keeps
  op.kept.for_input_gradient += solved;
  op.scan_per_token = delta_rule(m);
  op.parameters = 2 * value_heads;  // decay and step bias of each head
  return layer;
}

Layer gated_delta_net(const Qwen35Text& m) {
  const std::uint64_t value_heads = m.linear_num_value_heads;
  const std::uint64_t keys = std::uint64_t{m.linear_num_key_heads} * m.linear_key_head_dim;
  const std::uint64_t values = value_heads * m.linear_value_head_dim;
  return linear("qkv", m.hidden_size, 2 * keys + values, Share::Columns) +
         on_shared_input(linear("gate", m.hidden_size, values, Share::Columns), m.hidden_size) +
         on_shared_input(linear("decay and step", m.hidden_size, 2 * value_heads, Share::Columns),
                         m.hidden_size) +
         causal_convolution(2 * keys + values, m.linear_conv_kernel_dim) + delta_rule_scan(m) +
         nonlinear("gated norm", 2 * values, values, Share::Inner) +
         parameters(m.linear_value_head_dim, Share::Tokens) +
         linear("attention out", values, m.hidden_size, Share::Rows);
}

Layer text_layer(const Qwen35Text& m, std::uint32_t index) {
  const bool full = (index + 1) % m.full_attention_interval == 0;
  return rms_norm(m.hidden_size) + (full ? gated_attention(m) : gated_delta_net(m)) +
         residual(m.hidden_size) + tensor_parallel_sublayer() + rms_norm(m.hidden_size) +
         swiglu(m.hidden_size, m.intermediate_size) + residual(m.hidden_size) + tensor_parallel_sublayer();
}

}  // namespace

std::vector<Layer> layers_of(const Qwen35Text& m) {
  std::vector<Layer> layers;
  for (std::uint32_t i = 0; i < m.num_hidden_layers; ++i) layers.push_back(text_layer(m, i));
  add_vocabulary(layers, m.hidden_size, m.vocab_size, rms_norm(m.hidden_size));
  return layers;
}

std::vector<Layer> layers_of(const Qwen35Vision& vit) {
  std::vector<Layer> layers(vit.depth, vision_layer(vit.hidden_size, vit.num_heads, vit.intermediate_size));
  const std::uint64_t pixels = patch_elements(vit.in_channels, vit.temporal_patch_size, vit.patch_size);
  layers.front() += linear_with_bias("patch embedding", pixels, vit.hidden_size, Share::Columns) +
                    embedding(vit.num_position_embeddings, vit.hidden_size);
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
