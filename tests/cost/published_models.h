// The published configurations in workloads/models.
#pragma once

#include "cost/layers/architecture.h"
#include "cost/layers/layer_cost.h"

namespace spillway {

inline TextModel deepseek_v3() {
  TextModel model;
  model.vocab_size = 129280;
  model.hidden_size = 7168;
  model.intermediate_size = 18432;
  model.num_hidden_layers = 61;
  model.attention = LatentAttention{.num_attention_heads = 128,
                                    .q_lora_rank = 1536,
                                    .kv_lora_rank = 512,
                                    .qk_nope_head_dim = 128,
                                    .qk_rope_head_dim = 64,
                                    .v_head_dim = 128};
  model.experts = Experts{.n_routed_experts = 256,
                          .num_experts_per_tok = 8,
                          .moe_intermediate_size = 2048,
                          .n_shared_experts = 1,
                          .shared_expert_intermediate_size = 2048,
                          .routing_bias = true,
                          .first_k_dense_replace = 3};
  return model;
}

inline VisionTower qwen2_vl_vit(std::uint32_t output_width) {
  VisionTower vit;
  vit.depth = 32;
  vit.hidden_size = 1280;
  vit.intermediate_size = 5120;
  vit.num_heads = 16;
  vit.in_channels = 3;
  vit.patch_size = 14;
  vit.temporal_patch_size = 2;
  vit.spatial_merge_size = 2;
  vit.out_hidden_size = output_width;
  return vit;
}

inline TextModel qwen3_5_9b_text() {
  TextModel model;
  model.vocab_size = 248320;
  model.hidden_size = 4096;
  model.intermediate_size = 12288;
  model.num_hidden_layers = 32;
  model.attention = GroupedQueryAttention{.num_attention_heads = 16,
                                          .num_key_value_heads = 4,
                                          .head_dim = 256,
                                          .head_norms = true,
                                          .output_gate = true};
  const GatedDeltaNet linear{.linear_conv_kernel_dim = 4,
                             .linear_key_head_dim = 128,
                             .linear_value_head_dim = 128,
                             .linear_num_key_heads = 16,
                             .linear_num_value_heads = 32};
  model.forms = {
      {{linear}, 0, AfterMixers::Dense, model.intermediate_size},
      {{std::get<GroupedQueryAttention>(model.attention)}, 0, AfterMixers::Dense, model.intermediate_size}};
  model.order = {0, 0, 0, 1};
  return model;
}

inline VisionTower qwen3_5_9b_vision() {
  VisionTower vit;
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
  vit.patch_embedding_bias = true;
  return vit;
}

inline LayerCost whole(const Architecture& architecture) {
  return cost_of(layer_stack(architecture).layers);
}

}  // namespace spillway
