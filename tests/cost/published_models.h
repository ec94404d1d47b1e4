// The published configurations that workloads/models ships.
#pragma once

#include "cost/architecture.h"
#include "cost/layer_cost.h"

namespace spillway {

inline DeepSeekV3 deepseek_v3() {
  DeepSeekV3 model{};
  model.vocab_size = 129280;
  model.hidden_size = 7168;
  model.intermediate_size = 18432;
  model.moe_intermediate_size = 2048;
  model.num_hidden_layers = 61;
  model.num_attention_heads = 128;
  model.q_lora_rank = 1536;
  model.kv_lora_rank = 512;
  model.qk_nope_head_dim = 128;
  model.qk_rope_head_dim = 64;
  model.v_head_dim = 128;
  model.n_routed_experts = 256;
  model.n_shared_experts = 1;
  model.num_experts_per_tok = 8;
  model.first_k_dense_replace = 3;
  return model;
}

inline Qwen2VlVit qwen2_vl_vit(std::uint32_t output_width) {
  Qwen2VlVit vit{};
  vit.depth = 32;
  vit.embed_dim = 1280;
  vit.mlp_ratio = 4;
  vit.num_heads = 16;
  vit.in_chans = 3;
  vit.patch_size = 14;
  vit.temporal_patch_size = 2;
  vit.spatial_merge_size = 2;
  vit.hidden_size = output_width;
  return vit;
}

inline Qwen35Text qwen3_5_9b_text() {
  Qwen35Text model{};
  model.vocab_size = 248320;
  model.hidden_size = 4096;
  model.intermediate_size = 12288;
  model.num_hidden_layers = 32;
  model.num_attention_heads = 16;
  model.num_key_value_heads = 4;
  model.head_dim = 256;
  model.full_attention_interval = 4;
  model.linear_conv_kernel_dim = 4;
  model.linear_key_head_dim = 128;
  model.linear_value_head_dim = 128;
  model.linear_num_key_heads = 16;
  model.linear_num_value_heads = 32;
  return model;
}

inline Qwen35Vision qwen3_5_9b_vision() {
  Qwen35Vision vit{};
  vit.depth = 27;
  vit.hidden_size = 1152;
  vit.intermediate_size = 4304;
  vit.num_heads = 16;
  vit.in_channels = 3;
  vit.patch_size = 16;
  vit.temporal_patch_size = 2;
  vit.spatial_merge_size = 2;
  vit.out_hidden_size = 4096;
  vit.num_position_embeddings = 2304;
  return vit;
}

inline LayerCost whole(const Architecture& architecture) {
  return cost_of(layer_stack(architecture).layers);
}

}  // namespace spillway
