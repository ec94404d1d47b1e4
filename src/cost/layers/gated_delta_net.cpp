#include "cost/layers/gated_delta_net.h"

#include "cost/layers/conventions.h"

namespace spillway {
namespace {

constexpr std::uint32_t kChunk = 64;  // tokens

// The chunked gated delta rule: FLOPs per token and value head, chunks of C tokens, keys of k and values of v
// elements. Inside a chunk the products key-key and query-key take 2Ck each, the triangular solves for values
// and keys C(k + v), attention over the new values 2Cv; reading the state twice and updating it takes 2kv
// each. transformers, models/qwen3_5, torch_chunk_gated_delta_rule.
Flops delta_rule(const GatedDeltaNet& m) {
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

Layer delta_rule_scan(const GatedDeltaNet& m) {
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

}  // namespace

Layer attention_of(const GatedDeltaNet& m, std::uint64_t hidden) {
  const std::uint64_t value_heads = m.linear_num_value_heads;
  const std::uint64_t keys = std::uint64_t{m.linear_num_key_heads} * m.linear_key_head_dim;
  const std::uint64_t values = value_heads * m.linear_value_head_dim;
  return linear("qkv", hidden, 2 * keys + values, Share::Columns) +
         on_shared_input(linear("gate", hidden, values, Share::Columns), hidden) +
         on_shared_input(linear("decay and step", hidden, 2 * value_heads, Share::Columns), hidden) +
         causal_convolution(2 * keys + values, m.linear_conv_kernel_dim) + delta_rule_scan(m) +
         nonlinear("gated norm", 2 * values, values, Share::Inner) +
         parameters(m.linear_value_head_dim, Share::Tokens) +
         linear("attention out", values, hidden, Share::Rows);
}

}  // namespace spillway
