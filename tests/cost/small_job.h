// A job small enough to price by hand: a vision tower of 2 layers and DeepSeek-V3 in miniature with 4, at 1e6
// FLOP/s per device and, unless a test says otherwise, free memory traffic.
#pragma once

#include <memory>

#include "cost/analytic.h"
#include "small_platform.h"

namespace spillway {

inline VisionTower small_vit() {
  VisionTower vit;
  vit.depth = 2;
  vit.hidden_size = 8;
  vit.intermediate_size = 16;
  vit.num_heads = 2;
  vit.in_channels = 1;
  vit.patch_size = 2;
  vit.temporal_patch_size = 1;
  vit.spatial_merge_size = 2;
  vit.out_hidden_size = 16;
  return vit;
}

inline TextModel small_deepseek() {
  TextModel model;
  model.vocab_size = 64;
  model.hidden_size = 16;
  model.intermediate_size = 32;
  model.num_hidden_layers = 4;
  model.attention = LatentAttention{.num_attention_heads = 4,
                                    .q_lora_rank = 8,
                                    .kv_lora_rank = 8,
                                    .qk_nope_head_dim = 4,
                                    .qk_rope_head_dim = 4,
                                    .v_head_dim = 4};
  model.experts = Experts{.n_routed_experts = 8,
                          .num_experts_per_tok = 2,
                          .moe_intermediate_size = 8,
                          .n_shared_experts = 1,
                          .shared_expert_intermediate_size = 8,
                          .routing_bias = true,
                          .first_k_dense_replace = 1};
  return model;
}

struct SmallJob {
  AnalyticCosts costs;
  Pipeline pipeline{2, 2, 1};
  bool encoder_trainable = true;
  bool backbone_trainable = true;
  Draw draw;

  SmallJob() {
    costs.platform = small_platform();
    costs.platform.accelerator.peak = chosen(FlopsPerSecond(1e6));
    costs.platform.accelerator.memory_bandwidth = chosen(BytesPerSecond(1e30));
    costs.blocks.push_back({.architecture = small_vit()});
    costs.blocks.push_back({.architecture = small_deepseek()});
    // The first microbatch has images of 4 and 16 patches in 10 tokens; the second has none.
    draw.assign(8, {{{4, 16}, 1, 5, 5, 10}, {{}, 1, 0, 20, 20}});
  }

  Model model() const {
    return Model(
        {{"enc", Role::Encoder, 2, encoder_trainable}, {"llm", Role::Backbone, 4, backbone_trainable}});
  }

  Derived derive_as(const char* text, Cut cut, std::vector<std::uint32_t> layers_per_rank = {}) const {
    DeriveOptions options{.pipeline = pipeline};
    options.layers_per_rank = std::move(layers_per_rank);
    options.joined_replicas = joined_replicas(costs);
    return derive(model(), std::get<Schedule>(parse_schedule(text)), cut, options);
  }

  AnalyticCostModel priced(const Derived& derived) const {
    return AnalyticCostModel(costs, derived, std::make_shared<const DrawLoads>(draw_loads(costs, draw)));
  }
};

inline Parallelism sizes(std::uint32_t tensor, std::uint32_t expert,
                         DataParallel data = DataParallel::Plain) {
  Parallelism parallelism;
  parallelism.tensor = tensor;
  parallelism.expert = expert;
  parallelism.data = data;
  return parallelism;
}

// Times of a stage's forward and backward in seconds, on replica 0.
inline double forward_of(const AnalyticCostModel& model, std::uint32_t stage, std::uint32_t microbatch = 0) {
  return model.pass(Pass::Forward, StageId(stage), MicrobatchId(microbatch), ReplicaId(0)).value();
}
inline double backward_of(const AnalyticCostModel& model, std::uint32_t stage, std::uint32_t microbatch = 0) {
  return model.pass(Pass::Backward, StageId(stage), MicrobatchId(microbatch), ReplicaId(0)).value();
}

}  // namespace spillway
