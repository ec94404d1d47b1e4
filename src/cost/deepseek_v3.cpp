#include "cost/deepseek_v3.h"

#include "cost/config_check.h"

namespace spillway {
namespace {

// Multi-head latent attention in its training form: keys and values are expanded from the latent for every
// head.
Layer latent_attention(const DeepSeekV3& m) {
  const std::uint64_t heads = m.num_attention_heads;
  const std::uint64_t key = m.qk_nope_head_dim + m.qk_rope_head_dim;
  const std::uint64_t rotary = (heads + 1) * m.qk_rope_head_dim;
  return rms_norm(m.hidden_size) + linear("q down", m.hidden_size, m.q_lora_rank, Share::Tokens) +
         rms_norm(m.q_lora_rank) + linear("q up", m.q_lora_rank, heads * key, Share::Columns) +
         on_shared_input(linear("kv down", m.hidden_size, m.kv_lora_rank + m.qk_rope_head_dim, Share::Tokens),
                         m.hidden_size) +
         rms_norm(m.kv_lora_rank) +
         linear("kv up", m.kv_lora_rank, heads * (m.qk_nope_head_dim + m.v_head_dim), Share::Columns) +
         elementwise("rotary", rotary, rotary, Share::Inner) +
         attention({heads, heads, key, m.v_head_dim}, true) +
         linear("attention out", heads * m.v_head_dim, m.hidden_size, Share::Rows) + residual(m.hidden_size) +
         tensor_parallel_sublayer();
}

// The shared experts are split by tensor parallelism, so they gather and scatter; the routed ones exchange
// tokens.
Layer feed_forward(const DeepSeekV3& m, bool dense) {
  Layer layer = rms_norm(m.hidden_size) + residual(m.hidden_size) + tensor_parallel_sublayer();
  if (dense) return layer + swiglu(m.hidden_size, m.intermediate_size);
  // The routing bias of the balancing without an auxiliary loss.
  layer += parameters(m.n_routed_experts, Share::Tokens);
  const std::uint64_t shared = std::uint64_t{m.n_shared_experts} * m.moe_intermediate_size;
  return layer + shared_swiglu(m.hidden_size, shared) +
         routed_experts(m.hidden_size, m.moe_intermediate_size, m.n_routed_experts, m.num_experts_per_tok);
}

}  // namespace

std::vector<Layer> layers_of(const DeepSeekV3& m) {
  std::vector<Layer> layers;
  for (std::uint32_t i = 0; i < m.num_hidden_layers; ++i) {
    layers.push_back(latent_attention(m) + feed_forward(m, i < m.first_k_dense_replace));
  }
  add_vocabulary(layers, m.hidden_size, m.vocab_size, rms_norm(m.hidden_size));
  return layers;
}

std::vector<Violation> check_architecture(const DeepSeekV3& m) {
  std::vector<Violation> violations = check_sizes({{"vocab_size", m.vocab_size},
                                                   {"hidden_size", m.hidden_size},
                                                   {"intermediate_size", m.intermediate_size},
                                                   {"moe_intermediate_size", m.moe_intermediate_size},
                                                   {"num_hidden_layers", m.num_hidden_layers, kMostLayers},
                                                   {"num_attention_heads", m.num_attention_heads},
                                                   {"q_lora_rank", m.q_lora_rank},
                                                   {"kv_lora_rank", m.kv_lora_rank},
                                                   {"qk_nope_head_dim", m.qk_nope_head_dim},
                                                   {"qk_rope_head_dim", m.qk_rope_head_dim},
                                                   {"v_head_dim", m.v_head_dim},
                                                   {"n_routed_experts", m.n_routed_experts},
                                                   {"n_shared_experts", m.n_shared_experts},
                                                   {"num_experts_per_tok", m.num_experts_per_tok}});
  require_at_most(violations, "num_experts_per_tok", m.num_experts_per_tok, m.n_routed_experts);
  require_at_most(violations, "first_k_dense_replace", m.first_k_dense_replace, m.num_hidden_layers);
  return violations;
}

}  // namespace spillway
