// Kimi Linear (arXiv 2510.26692; modeling_kimi.py of the released files): three of four layers have Kimi
// Delta Attention, the fourth latent attention without positions.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

// The lists count layers from 1.
std::vector<std::uint8_t> read_kimi_layers(ConfigSection& linear, std::uint32_t layers) {
  std::vector<std::uint8_t> latent(std::clamp(layers, 1U, kMostLayers), 0);
  for (const std::uint32_t layer : linear.sizes("full_attn_layers"))
    if (layer >= 1 && layer <= latent.size()) latent[layer - 1] = 1;
  for (const std::uint32_t layer : linear.sizes("kda_layers"))
    if (layer >= 1 && layer <= latent.size() && latent[layer - 1] == 1)
      linear.refuse("kda_layers", "layers that are not in full_attn_layers", std::to_string(layer));
  return latent;
}

Experts read_kimi_experts(ConfigSection& config) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok", "num_experts_per_token");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  experts.n_shared_experts = config.size_or("n_shared_experts", "num_shared_experts", 0);
  experts.shared_expert_intermediate_size = experts.moe_intermediate_size;
  experts.n_group = config.size_or("n_group", "num_expert_group", 1);
  experts.topk_group = config.size_or("topk_group", "topk_group", 1);
  experts.first_k_dense_replace = config.size_or("first_k_dense_replace", "first_k_dense_replace", 0);
  experts.routing_bias = true;
  config.expect_size("moe_layer_freq", 1);
  return experts;
}

TextModel read_kimi_linear(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  const LatentAttention latent = read_latent_attention(config);
  model.attention = latent;
  model.experts = read_kimi_experts(config);
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("mla_use_nope", true);
  config.pass_over(
      {"moe_renormalize", "moe_router_activation_func", "use_grouped_topk", "num_nextn_predict_layers"});
  if (!config.has("linear_attn_config")) {
    config.refuse("linear_attn_config", "an object", "nothing");
    return model;
  }
  ConfigSection linear = config.part("linear_attn_config");
  KimiDeltaAttention delta;
  delta.num_heads = linear.positive("num_heads");
  delta.head_dim = linear.positive("head_dim");
  delta.short_conv_kernel_size = linear.positive("short_conv_kernel_size");
  const std::vector<std::uint8_t> kinds = read_kimi_layers(linear, model.num_hidden_layers);
  linear.refuse_unknown();
  set_layers(model, {{{delta}}, {{latent}}}, kinds, sparse_from(model, model.experts->first_k_dense_replace));
  return model;
}

}  // namespace

extern const TextFamily kKimiLinear = {{"kimi_linear"}, read_kimi_linear};

}  // namespace spillway
