// Ling and Ring of inclusionAI: 1.5 and 2.0 (arXiv 2503.05139, 2510.22115; modeling_bailing_moe.py and _v2.py
// of the released files); Ring-linear 2.0 (arXiv 2510.19338), of whose layers most have lightning
// attention; 2.5, where the others have latent attention.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint32_t kLayersOfAGroup = 5;  // BailingMoeV2_5Config

Experts read_bailing_experts(ConfigSection& config) {
  Experts experts = read_qwen_experts(config);
  experts.n_shared_experts = config.size_or("n_shared_experts", "num_shared_experts", 0);
  experts.shared_expert_intermediate_size =
      config.size_or("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
                     experts.moe_intermediate_size);
  experts.n_group = config.size_or("n_group", "n_group", 1);
  experts.topk_group = config.size_or("topk_group", "topk_group", experts.n_group);
  experts.first_k_dense_replace = config.size_or("first_k_dense_replace", "first_k_dense_replace", 0);
  experts.routing_bias = config.flag("moe_router_enable_expert_bias", false);
  return experts;
}

void read_bailing_base(ConfigSection& config, TextModel& model) {
  read_common_sizes(config, model);
  model.experts = read_bailing_experts(config);
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("use_bias", false);
  config.expect_flag("use_rmsnorm", true);
  config.expect_flag("moe_router_enable_shared_expert", true);
  config.pass_over({"norm_head", "norm_softmax", "multi_gate", "score_function", "mtp_loss_scaling_factor",
                    "moe_router_enable_routed_scaling", "moe_router_topk_scaling_factor", "sliding_window",
                    "router_dtype"});
  config.expect_flag("use_sliding_window", false);
  model.num_nextn_predict_layers = config.size_or("num_nextn_predict_layers", "num_nextn_predict_layers", 0);
}

GroupedQueryAttention read_bailing_attention(ConfigSection& config, std::uint32_t hidden_size) {
  GroupedQueryAttention attention = read_grouped_query_attention(config, hidden_size);
  attention.qkv_bias = config.flag("use_qkv_bias", false);
  attention.head_norms = config.flag("use_qk_norm", false);
  return attention;
}

TextModel read_bailing_moe(ConfigSection& config) {
  TextModel model;
  read_bailing_base(config, model);
  model.attention = read_bailing_attention(config, model.hidden_size);
  return model;
}

// The last layer of each group, and those behind the last whole group, are 1.
std::vector<std::uint8_t> read_groups(ConfigSection& config, std::uint32_t layers) {
  const std::uint32_t size = config.positive_or("layer_group_size", kLayersOfAGroup);
  config.pass_over({"group_norm_size"});
  std::vector<std::uint8_t> kinds;
  for (std::uint32_t i = 0; i < std::clamp(layers, 1U, kMostLayers); ++i)
    kinds.push_back((i + 1) % size == 0 || i >= layers / size * size);
  return kinds;
}

LightningAttention lightning_of(ConfigSection& config, const GroupedQueryAttention& attention) {
  config.expect_flag("linear_silu", false);
  config.expect_size("num_kv_heads_for_linear_attn", attention.num_attention_heads);
  return {.num_attention_heads = attention.num_attention_heads,
          .head_dim = attention.head_dim,
          .activation = false,
          .head_norms = attention.head_norms,
          .rotary = true,
          .biases = attention.qkv_bias};
}

TextModel read_bailing_linear(ConfigSection& config) {
  TextModel model = read_bailing_moe(config);
  const auto softmax = std::get<GroupedQueryAttention>(model.attention);
  set_layers(model, {{{lightning_of(config, softmax)}}, {{softmax}}},
             read_groups(config, model.num_hidden_layers),
             sparse_from(model, model.experts->first_k_dense_replace));
  return model;
}

// Ling 3: Kimi Delta Attention in the place of lightning attention, and a gate of each head behind latent
// attention.
KimiDeltaAttention read_bailing_delta(ConfigSection& config, std::uint32_t heads) {
  KimiDeltaAttention delta;
  delta.short_conv_kernel_size = config.size("short_conv_kernel_size");
  delta.num_heads = heads;
  delta.head_dim = config.size("head_dim");
  delta.whole_products = config.flag("no_kda_lora", false);
  config.expect_flag("use_kda_lora", !delta.whole_products);
  config.expect_size("num_kv_heads_for_linear_attn", 0);
  config.pass_over({"kda_lower_bound", "kda_safe_gate", "linear_silu", "expert_swiglu_limit_list",
                    "share_expert_swiglu_limit_list"});
  config.expect_flag("mtp_use_kda", false);
  return delta;
}

TextModel read_bailing_hybrid(ConfigSection& config) {
  TextModel model;
  read_bailing_base(config, model);
  LatentAttention latent = read_latent_attention(config);
  MixerForm linear;
  if (config.has("short_conv_kernel_size"))
    linear.mixers = {read_bailing_delta(config, latent.num_attention_heads)};
  else
    linear.mixers = {lightning_of(config, read_bailing_attention(config, model.hidden_size))};
  config.expect_word("gated_attention_proj_granularity_type", {"head_wise"});
  latent.head_gate = config.has("gated_attention_proj_granularity_type");
  config.pass_over({"use_qk_norm", "use_qkv_bias"});
  model.attention = latent;
  set_layers(model, {linear, {{latent}}}, read_groups(config, model.num_hidden_layers),
             sparse_from(model, model.experts->first_k_dense_replace));
  return model;
}

}  // namespace

extern const TextFamily kBailingMoe = {{"bailing_moe", "bailing_moe_v2", "sarvam_moe"}, read_bailing_moe};
extern const TextFamily kBailingLinear = {{"bailing_moe_linear", "bailing_moe_linear_v2"},
                                          read_bailing_linear};
extern const TextFamily kBailingHybrid = {{"bailing_hybrid"}, read_bailing_hybrid};

}  // namespace spillway
