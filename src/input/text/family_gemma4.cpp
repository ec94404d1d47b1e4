// Gemma 4 (transformers, models/gemma4): five of six layers attend to a window; the sixth has wider and fewer
// heads, whose keys may be their values. Values are normed, too. With experts, a dense feed-forward stands
// beside them, each between norms of its own.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

GroupedQueryAttention read_gemma4_attention(ConfigSection& config) {
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.num_key_value_heads = config.size("num_key_value_heads");
  attention.head_dim = config.size("head_dim");
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  attention.head_norms = attention.value_norms = true;
  return attention;
}

GroupedQueryAttention read_gemma4_global(ConfigSection& config, GroupedQueryAttention attention) {
  attention.head_dim = config.positive_or("global_head_dim", attention.head_dim);
  attention.values_of_keys = config.flag("attention_k_eq_v", false);
  const std::uint32_t fewer = config.positive_or("num_global_key_value_heads", attention.num_key_value_heads);
  if (attention.values_of_keys) attention.num_key_value_heads = fewer;
  return attention;
}

// Layers that read keys and values of layers before, and embeddings for every layer, are not supported.
void refuse_shared_layers(ConfigSection& config) {
  config.expect_size("num_kv_shared_layers", 0);
  config.expect_size("hidden_size_per_layer_input", 0);
  config.expect_word("hidden_activation", {"gelu_pytorch_tanh"});
  config.pass_over({"vocab_size_per_layer_input", "use_double_wide_mlp", "use_bidirectional_attention",
                    "num_experts", "top_k_experts", "moe_intermediate_size", "expert_intermediate_size"});
}

// The router reads a normed input with a scale for each element, and has a scale for each expert.
Experts read_gemma4_experts(ConfigSection& config) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok", "top_k_experts");
  experts.moe_intermediate_size =
      config.size_of_any("moe_intermediate_size", {"moe_intermediate_size", "expert_intermediate_size"});
  experts.routing_bias = experts.router_scales = true;
  return experts;
}

TextModel read_gemma4(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.tie_word_embeddings = config.flag_anywhere("tie_word_embeddings", true);
  const GroupedQueryAttention local = read_gemma4_attention(config);
  model.attention = local;
  model.output_norms = model.layer_scalars = true;
  refuse_shared_layers(config);
  std::vector<std::uint8_t> kinds =
      read_kinds(config, "layer_types", model.num_hidden_layers, {"sliding_attention", "full_attention"});
  if (kinds.empty()) kinds = {0, 0, 0, 0, 0, 1};
  const std::uint32_t window = config.positive("sliding_window");
  set_layers(model, {{{local}, window}, {{read_gemma4_global(config, local)}}}, kinds, {false});
  if (!config.flag("enable_moe_block", false)) return model;
  model.experts = read_gemma4_experts(config);
  model.experts_norms = true;
  for (LayerForm& form : model.forms) form.feed_forward = AfterMixers::Both;
  return model;
}

}  // namespace

extern const TextFamily kGemma4 = {{"gemma4_text", "gemma4"},
                                   read_gemma4,
                                   {"Tokens of one image are priced with causal attention, although they may "
                                    "attend to each other both ways."}};

}  // namespace spillway
