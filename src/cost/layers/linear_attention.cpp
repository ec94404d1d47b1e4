#include "cost/layers/linear_attention.h"

#include "cost/layers/conventions.h"

namespace spillway {
namespace {

constexpr std::uint32_t kFlaChunk = 64;  // flash-linear-attention's default

// Includes its activation, which needs the input again even if the kernel is not trained.
Layer causal_convolution(std::uint64_t channels, std::uint64_t kernel) {
  Layer layer = nonlinear("convolution", channels, channels, Share::Inner);
  Operator& op = layer.operators.back();
  op.k = kernel;  // counted in FLOPs; its time is the memory's
  op.n = channels;
  op.parameters = channels * kernel;
  op.kept.between_gradients = kElement * static_cast<double>(2 * channels);
  return layer;
}

// Reads `in` elements per token and keeps `kept` of them; its heads write their values.
Layer scan(std::string_view name, const ScanForm& form, const AttentionHeads& heads, std::uint64_t in,
           std::uint64_t kept) {
  Layer layer = nonlinear(name, in, heads.query * heads.value_width, Share::Inner);
  Operator& op = layer.operators.back();
  op.kind = OperatorKind::Scan;
  op.kept.for_backward = op.kept.for_input_gradient = kElement * static_cast<double>(kept);
  op.scan = form;
  op.heads = heads;
  const double sharing = static_cast<double>(heads.query) / static_cast<double>(heads.key_value);
  op.scan_per_token = scan_flops(form, static_cast<double>(heads.key_width),
                                 static_cast<double>(heads.value_width), sharing) *
                      static_cast<double>(heads.query);
  return layer;
}

Layer delta_rule_scan(const GatedDeltaNet& m) {
  const std::uint64_t value_heads = m.linear_num_value_heads;
  const std::uint64_t keys = std::uint64_t{m.linear_num_key_heads} * m.linear_key_head_dim;
  const std::uint64_t in = 2 * keys + value_heads * m.linear_value_head_dim + 2 * value_heads;
  const AttentionHeads heads{m.linear_num_value_heads, m.linear_num_key_heads, m.linear_key_head_dim,
                             m.linear_value_head_dim};
  // A row of the chunk's inverse is kept, too, by flash-linear-attention.
  Layer layer = scan("delta rule", {}, heads, in, in + kFlaChunk * value_heads);
  layer.operators.back().parameters = 2 * value_heads;  // decay and step bias of each head
  return layer;
}

// Two products to `out` through `narrow` elements.
Layer through(std::string_view down, std::string_view up, std::uint64_t in, std::uint64_t narrow,
              std::uint64_t out) {
  return on_shared_input(linear(down, in, narrow, Share::Tokens), in) +
         linear(up, narrow, out, Share::Columns);
}

// Reads a raw decay for each channel, too, and keeps a row of the scores and one of the inverse.
Layer channel_delta_scan(const KimiDeltaAttention& m, std::uint64_t width) {
  const std::uint64_t heads = m.num_heads, in = 4 * width + heads;
  Layer layer = scan("channel delta rule", {ScanRule::ChannelDelta, kFlaChunk},
                     {heads, heads, m.head_dim, m.head_dim}, in, in + 2 * kFlaChunk * heads);
  layer.operators.back().parameters = heads + width;  // decay of each head, bias of each channel
  return layer;
}

Layer gated_norm(std::uint64_t width, std::uint64_t weights) {
  return nonlinear("gated norm", 2 * width, width, Share::Inner) + parameters(weights, Share::Tokens);
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
         gated_norm(values, m.linear_value_head_dim) + linear("attention out", values, hidden, Share::Rows);
}

Layer attention_of(const KimiDeltaAttention& m, std::uint64_t hidden) {
  const std::uint64_t width = std::uint64_t{m.num_heads} * m.head_dim;
  const auto made = [&](std::string_view down, std::string_view up) {
    if (!m.whole_products) return through(down, up, hidden, m.head_dim, width);
    return on_shared_input(linear(up, hidden, width, Share::Columns), hidden);
  };
  return linear("qkv", hidden, 3 * width, Share::Columns) + made("decay down", "decay up") +
         on_shared_input(linear("step", hidden, m.num_heads, Share::Columns), hidden) +
         made("gate down", "gate up") + causal_convolution(3 * width, m.short_conv_kernel_size) +
         channel_delta_scan(m, width) + gated_norm(width, m.head_dim) +
         linear("attention out", width, hidden, Share::Rows);
}

Layer attention_of(const Mamba2& m, std::uint64_t hidden) {
  const std::uint64_t heads = m.mamba_num_heads, width = heads * m.mamba_head_dim;
  const std::uint64_t shared = 2 * std::uint64_t{m.n_groups} * m.ssm_state_size, channels = width + shared;
  const std::uint64_t made = width + channels + heads;
  Layer convolution = causal_convolution(channels, m.conv_kernel);
  Operator& op = convolution.operators.back();
  if (m.convolution_bias) op.parameters += channels;
  op.more_in_gradient = kElement * static_cast<double>(2 * channels);  // a forward again
  // The scan keeps only its steps: the rest is made again.
  Layer states = scan("state space", {ScanRule::StateSpace, m.chunk_size},
                      {heads, m.n_groups, m.ssm_state_size, m.mamba_head_dim}, channels + heads, heads);
  states.operators.back().parameters = 3 * heads;  // decay, step bias and skip of each head
  const auto product = m.projection_bias ? linear_with_bias : linear;
  return product("mamba in", hidden, made, Share::Columns) + convolution + states +
         (m.norm ? gated_norm(width, width) : nonlinear("gate", 2 * width, width, Share::Inner)) +
         product("attention out", width, hidden, Share::Rows);
}

Layer attention_of(const LightningAttention& m, std::uint64_t hidden) {
  const std::uint64_t heads = m.num_attention_heads, width = heads * m.head_dim;
  const auto product = m.biases ? linear_with_bias : linear;
  Layer layer = product("qkv", hidden, 3 * width, Share::Columns) +
                on_shared_input(linear("gate", hidden, width, Share::Columns), hidden);
  if (m.activation) layer += nonlinear("activation", 3 * width, 3 * width, Share::Inner);
  if (m.head_norms)
    layer += nonlinear("head norms", 2 * width, 2 * width, Share::Inner) +
             parameters(2 * std::uint64_t{m.head_dim}, Share::Tokens);
  if (m.rotary) layer += elementwise("rotary", 2 * width, 2 * width, Share::Inner);
  return layer +
         scan("lightning attention", {ScanRule::Decay, kFlaChunk}, {heads, heads, m.head_dim, m.head_dim},
              3 * width, 3 * width) +
         gated_norm(width, width) + linear("attention out", width, hidden, Share::Rows);
}

Layer attention_of(const ShortConvolution& m, std::uint64_t hidden) {
  const auto product = m.biases ? linear_with_bias : linear;
  const Layer gate = nonlinear("gate", 2 * hidden, hidden, Share::Inner);
  Layer convolution = causal_convolution(hidden, m.conv_L_cache);
  if (m.biases) convolution.operators.back().parameters += hidden;
  return product("convolution in", hidden, 3 * hidden, Share::Columns) + gate + convolution + gate +
         product("attention out", hidden, hidden, Share::Rows);
}

}  // namespace spillway
