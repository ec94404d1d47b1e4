// Softmax attention of decoder language models, causal over the whole sequence.
#pragma once

#include <cstdint>
#include <optional>

#include "cost/layers/layer.h"

namespace spillway {

// Sparse attention (DeepSeek-V3.2, arXiv 2512.02556, section 2.1). An indexer of few narrow heads scores all
// tokens before a query, which attends to the topk best of them. Those pairs are priced as a window of topk
// tokens. The indexer is priced as attention of heads half as wide, which takes as many products as scores
// alone.
struct SparseIndexer {
  std::uint32_t index_n_heads = 0;
  std::uint32_t index_head_dim = 0;
  std::uint32_t index_topk = 0;

  friend bool operator==(const SparseIndexer&, const SparseIndexer&) = default;
};

// Query heads share key and value heads (Ainslie et al. 2023, arXiv 2305.13245). With equally many of both it
// is multi-head attention.
struct GroupedQueryAttention {
  std::uint32_t num_attention_heads = 0;
  std::uint32_t num_key_value_heads = 0;
  std::uint32_t head_dim = 0;
  bool qkv_bias = false;
  bool output_bias = false;
  bool rotary = true;            // rotary positions
  bool head_norms = false;       // queries and keys are normed per head; the rotation counts as part of it
  bool joint_norms = false;      // with head_norms: over all heads together, with a weight for every element
  bool output_gate = false;      // the query projection also makes a gate on the output
  bool sinks = false;            // a learned number per head in the softmax's sum
  std::uint32_t v_head_dim = 0;  // of values; 0: as wide as keys
  bool head_gate = false;        // one number per head, of a product of its own, gates the output
  bool values_of_keys = false;   // keys before their norm are the values
  bool value_norms = false;      // without weights
  std::optional<SparseIndexer> indexer = {};  // its queries and its key are normed, both of the hidden state
  // Not 0: queries come from a normed latent of this width, as in Step3 (arXiv 2507.19427, section 3.2).
  std::uint32_t query_rank = 0;

  std::uint32_t value_width() const { return v_head_dim > 0 ? v_head_dim : head_dim; }
  friend bool operator==(const GroupedQueryAttention&, const GroupedQueryAttention&) = default;
};

// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1) in its training form: keys and
// values are expanded from the latent for every head.
struct LatentAttention {
  std::uint32_t num_attention_heads = 0;
  std::uint32_t q_lora_rank = 0;  // 0: queries come directly from the hidden state
  std::uint32_t kv_lora_rank = 0;
  std::uint32_t qk_nope_head_dim = 0;
  std::uint32_t qk_rope_head_dim = 0;
  std::uint32_t v_head_dim = 0;
  std::optional<SparseIndexer> indexer = {};  // it reads the latent queries, so q_lora_rank is not 0
  bool chosen_before = false;  // by the indexer of a layer before, whose choice this layer shares
  bool head_gate = false;      // as of grouped queries

  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

// The operators from the normed hidden state to the result that is added to it, without norm, residual and
// collectives.
Layer attention_of(const GroupedQueryAttention& attention, std::uint64_t hidden_size, bool fused);
Layer attention_of(const LatentAttention& attention, std::uint64_t hidden_size, bool fused);

}  // namespace spillway
