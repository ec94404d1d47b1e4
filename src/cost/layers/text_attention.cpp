#include "cost/layers/text_attention.h"

#include <algorithm>

#include "cost/layers/conventions.h"
#include "cost/layers/scan.h"

namespace spillway {
namespace {

Layer projection(const char* name, std::uint64_t in, std::uint64_t out, Share share, bool bias) {
  return bias ? linear_with_bias(name, in, out, share) : linear(name, in, out, share);
}

Layer scores(const AttentionHeads& heads, bool fused) {
  return fused ? attention(heads, true) : unfused_attention(heads);
}

// A gate on the output of attention, which attention keeps itself.
Layer output_gate(std::uint64_t query) {
  Layer gate = nonlinear("output gate", 2 * query, query, Share::Inner);
  gate.operators.back().kept.for_input_gradient -= kElement * static_cast<double>(query);
  return gate;
}

Layer queries_keys_values(const GroupedQueryAttention& a, std::uint64_t hidden, std::uint64_t query,
                          std::uint64_t key) {
  const std::uint64_t keys_and_values = a.keys_are_values ? key : 2 * key;
  if (a.query_rank > 0)
    return linear("q down", hidden, a.query_rank, Share::Tokens) + rms_norm(a.query_rank) +
           linear("q up", a.query_rank, query, Share::Columns) +
           on_shared_input(projection("kv", hidden, keys_and_values, Share::Columns, a.qkv_bias), hidden);
  if (!a.output_gate) return projection("qkv", hidden, query + keys_and_values, Share::Columns, a.qkv_bias);
  return projection("q and gate", hidden, 2 * query, Share::Columns, a.qkv_bias) +
         on_shared_input(projection("kv", hidden, 2 * key, Share::Columns, a.qkv_bias), hidden);
}

Layer norms_and_positions(const GroupedQueryAttention& a, std::uint64_t width) {
  Layer layer;
  if (a.head_norms)
    layer += nonlinear("head norms", width, width, Share::Inner) +
             parameters(a.joint_norms ? width : 2 * std::uint64_t{a.head_dim}, Share::Tokens);
  if (a.value_norms) {
    const std::uint64_t values = std::uint64_t{a.num_key_value_heads} * a.head_dim;
    layer += nonlinear("value norms", values, values, Share::Inner);
  }
  if (a.rotary) layer += elementwise("rotary", width, width, Share::Inner);
  return layer;
}

// The indexer has queries from the latent, one normed key for all heads, and a weight per head.
Layer indexer(const SparseIndexer& s, std::uint64_t hidden, std::uint64_t latent) {
  const std::uint64_t query = std::uint64_t{s.index_n_heads} * s.index_head_dim;
  // Scores alone take as long as attention of heads half as wide.
  const std::uint64_t half = std::max<std::uint64_t>(s.index_head_dim / 2, 1);
  const AttentionHeads heads{s.index_n_heads, 1, half, half};
  Layer scores = attention(heads, true);
  scores.operators.back().name = "index scores";
  return on_shared_input(linear("index q", latent, query, Share::Columns), latent) +
         on_shared_input(linear("index k", hidden, s.index_head_dim, Share::Tokens), hidden) +
         layer_norm(s.index_head_dim) +
         on_shared_input(linear("index weights", hidden, s.index_n_heads, Share::Tokens), hidden) + scores;
}

Layer chosen_scores(const LatentAttention& a, const AttentionHeads& heads, bool fused) {
  Layer layer = scores(heads, fused);
  if (a.indexer) layer.operators.front().window = a.indexer->index_topk;
  return layer;
}

Layer latent_queries(const LatentAttention& a, std::uint64_t hidden, std::uint64_t query) {
  if (a.q_lora_rank == 0) return inside(Module::UpProjection, linear("q", hidden, query, Share::Columns));
  return linear("q down", hidden, a.q_lora_rank, Share::Tokens) + rms_norm(a.q_lora_rank) +
         inside(Module::UpProjection, linear("q up", a.q_lora_rank, query, Share::Columns));
}

Flops delta_rule(const GatedDeltaNet& m) {
  return scan_flops(m.linear_key_head_dim, m.linear_value_head_dim) * m.linear_num_value_heads;
}

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

Layer delta_rule_scan(const GatedDeltaNet& m) {
  const std::uint64_t value_heads = m.linear_num_value_heads;
  const std::uint64_t keys = std::uint64_t{m.linear_num_key_heads} * m.linear_key_head_dim;
  const std::uint64_t values = value_heads * m.linear_value_head_dim;
  Layer layer = nonlinear("delta rule", 2 * keys + values + 2 * value_heads, values, Share::Inner);
  Operator& op = layer.operators.back();
  op.kind = OperatorKind::Scan;
  // A row of the chunk's inverse, which flash-linear-attention keeps.
  const Bytes solved = kElement * kScanChunk * static_cast<double>(value_heads);
  op.kept.for_backward += solved;
  op.kept.for_input_gradient += solved;
  op.scan_per_token = delta_rule(m);
  op.heads = {m.linear_num_value_heads, m.linear_num_key_heads, m.linear_key_head_dim,
              m.linear_value_head_dim};
  op.parameters = 2 * value_heads;  // decay and step bias of each head
  return layer;
}

}  // namespace

Layer attention_of(const GroupedQueryAttention& a, std::uint64_t hidden, bool fused) {
  const std::uint64_t query = std::uint64_t{a.num_attention_heads} * a.head_dim;
  const std::uint64_t key = std::uint64_t{a.num_key_value_heads} * a.head_dim;
  Layer layer = queries_keys_values(a, hidden, query, key) + norms_and_positions(a, query + key) +
                scores({a.num_attention_heads, a.num_key_value_heads, a.head_dim, a.head_dim}, fused);
  if (a.output_gate) layer += output_gate(query);
  if (a.sinks) layer += parameters(a.num_attention_heads, Share::Inner);
  return layer + projection("attention out", query, hidden, Share::Rows, a.output_bias);
}

Layer attention_of(const LatentAttention& a, std::uint64_t hidden, bool fused) {
  const std::uint64_t heads = a.num_attention_heads;
  const std::uint64_t key = std::uint64_t{a.qk_nope_head_dim} + a.qk_rope_head_dim;
  const std::uint64_t latent = std::uint64_t{a.kv_lora_rank} + a.qk_rope_head_dim;
  const std::uint64_t expanded = heads * (std::uint64_t{a.qk_nope_head_dim} + a.v_head_dim);
  // Queries and keys are joined from their parts with and without position; values are taken out of the
  // expanded latent (Megatron-LM, megatron/core/transformer/multi_latent_attention.py).
  const std::uint64_t joined_from = heads * key + expanded + a.qk_rope_head_dim;
  const std::uint64_t joined = heads * (2 * key + a.v_head_dim);
  return latent_queries(a, hidden, heads * key) +
         on_shared_input(linear("kv down", hidden, latent, Share::Tokens), hidden) +
         rms_norm(a.kv_lora_rank) +
         inside(Module::UpProjection, linear("kv up", a.kv_lora_rank, expanded, Share::Columns) +
                                          elementwise("rotary and join", joined_from, joined, Share::Inner)) +
         (a.indexer ? indexer(*a.indexer, hidden, a.q_lora_rank) : Layer()) +
         behind(Module::UpProjection, chosen_scores(a, {heads, heads, key, a.v_head_dim}, fused)) +
         linear("attention out", heads * a.v_head_dim, hidden, Share::Rows);
}

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
