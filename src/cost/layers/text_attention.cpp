#include "cost/layers/text_attention.h"

#include <algorithm>

#include "cost/layers/conventions.h"

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

struct Widths {
  std::uint64_t query, key, value, output;

  explicit Widths(const GroupedQueryAttention& a)
      : query(std::uint64_t{a.num_attention_heads} * a.head_dim),
        key(std::uint64_t{a.num_key_value_heads} * a.head_dim),
        value(std::uint64_t{a.num_key_value_heads} * a.value_width()),
        output(std::uint64_t{a.num_attention_heads} * a.value_width()) {}
};

Layer queries_keys_values(const GroupedQueryAttention& a, std::uint64_t hidden, const Widths& w) {
  const std::uint64_t made = a.values_of_keys ? w.key : w.key + w.value;
  if (a.query_rank > 0)
    return linear("q down", hidden, a.query_rank, Share::Tokens) + rms_norm(a.query_rank) +
           linear("q up", a.query_rank, w.query, Share::Columns) +
           on_shared_input(projection("kv", hidden, made, Share::Columns, a.qkv_bias), hidden);
  if (!a.output_gate) return projection("qkv", hidden, w.query + made, Share::Columns, a.qkv_bias);
  return projection("q and gate", hidden, 2 * w.query, Share::Columns, a.qkv_bias) +
         on_shared_input(projection("kv", hidden, made, Share::Columns, a.qkv_bias), hidden);
}

Layer norms_and_positions(const GroupedQueryAttention& a, const Widths& w) {
  const std::uint64_t width = w.query + w.key;
  Layer layer;
  if (a.head_norms)
    layer += nonlinear("head norms", width, width, Share::Inner) +
             parameters(a.joint_norms ? width : 2 * std::uint64_t{a.head_dim}, Share::Tokens);
  if (a.value_norms) layer += nonlinear("head norms", w.value, w.value, Share::Inner);
  if (a.rotary) layer += elementwise("rotary", width, width, Share::Inner);
  return layer;
}

// A gate of one number per head on the output of attention, which attention keeps itself.
Layer head_gate(std::uint64_t heads, std::uint64_t output) {
  Layer gate = nonlinear("output gate", output + heads, output, Share::Inner);
  gate.operators.back().kept.for_input_gradient -= kElement * static_cast<double>(output);
  return gate;
}

Layer gates_of_heads(std::uint64_t heads, std::uint64_t hidden) {
  return on_shared_input(linear("head gate", hidden, heads, Share::Columns), hidden);
}

Layer index_scores(const SparseIndexer& s) {
  // Scores alone take as long as attention of heads half as wide.
  const std::uint64_t half = std::max<std::uint64_t>(s.index_head_dim / 2, 1);
  Layer scores = attention({s.index_n_heads, 1, half, half}, true);
  scores.operators.back().name = "index scores";
  return scores;
}

// Queries and one key for all heads, both normed.
Layer block_indexer(const SparseIndexer& s, std::uint64_t hidden) {
  const std::uint64_t query = std::uint64_t{s.index_n_heads} * s.index_head_dim;
  return on_shared_input(linear("index q", hidden, query, Share::Columns), hidden) +
         on_shared_input(linear("index k", hidden, s.index_head_dim, Share::Tokens), hidden) +
         nonlinear("head norms", query, query, Share::Inner) + rms_norm(s.index_head_dim) +
         parameters(s.index_head_dim, Share::Tokens) + index_scores(s);
}

// The indexer has queries from the latent, one normed key for all heads, and a weight per head.
Layer indexer(const SparseIndexer& s, std::uint64_t hidden, std::uint64_t latent) {
  const std::uint64_t query = std::uint64_t{s.index_n_heads} * s.index_head_dim;
  return on_shared_input(linear("index q", latent, query, Share::Columns), latent) +
         on_shared_input(linear("index k", hidden, s.index_head_dim, Share::Tokens), hidden) +
         layer_norm(s.index_head_dim) +
         on_shared_input(linear("index weights", hidden, s.index_n_heads, Share::Tokens), hidden) +
         index_scores(s);
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

}  // namespace

Layer attention_of(const GroupedQueryAttention& a, std::uint64_t hidden, bool fused) {
  const Widths w(a);
  Layer layer = queries_keys_values(a, hidden, w) + norms_and_positions(a, w);
  if (a.head_gate) layer += gates_of_heads(a.num_attention_heads, hidden);
  if (a.indexer) layer += block_indexer(*a.indexer, hidden);
  Layer pairs = scores({a.num_attention_heads, a.num_key_value_heads, a.head_dim, a.value_width()}, fused);
  if (a.indexer) pairs.operators.front().window = a.indexer->index_topk;
  layer += pairs;
  if (a.output_gate) layer += output_gate(w.output);
  if (a.head_gate) layer += head_gate(a.num_attention_heads, w.output);
  if (a.sinks) layer += parameters(a.num_attention_heads, Share::Inner);
  return layer + projection("attention out", w.output, hidden, Share::Rows, a.output_bias);
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
         (a.head_gate ? gates_of_heads(heads, hidden) : Layer()) +
         (a.indexer && !a.chosen_before ? indexer(*a.indexer, hidden, a.q_lora_rank) : Layer()) +
         behind(Module::UpProjection, chosen_scores(a, {heads, heads, key, a.v_head_dim}, fused)) +
         (a.head_gate ? head_gate(heads, heads * a.v_head_dim) : Layer()) +
         linear("attention out", heads * a.v_head_dim, hidden, Share::Rows);
}

}  // namespace spillway
