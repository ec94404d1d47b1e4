// DeepSeek-V3 (arXiv 2412.19437): multi-head latent attention, the first layers dense, the others with routed
// and shared experts. The multi-token-prediction layer is not counted, as in the published 671B.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "cost/layer.h"

namespace spillway {

struct DeepSeekV3 {
  std::uint32_t vocab_size;
  std::uint32_t hidden_size;
  std::uint32_t intermediate_size;
  std::uint32_t moe_intermediate_size;
  std::uint32_t num_hidden_layers;
  std::uint32_t num_attention_heads;
  std::uint32_t q_lora_rank;
  std::uint32_t kv_lora_rank;
  std::uint32_t qk_nope_head_dim;
  std::uint32_t qk_rope_head_dim;
  std::uint32_t v_head_dim;
  std::uint32_t n_routed_experts;
  std::uint32_t n_shared_experts;
  std::uint32_t num_experts_per_tok;
  std::uint32_t first_k_dense_replace;
};

std::vector<Layer> layers_of(const DeepSeekV3& model);
std::vector<Violation> check_architecture(const DeepSeekV3& model);

}  // namespace spillway
