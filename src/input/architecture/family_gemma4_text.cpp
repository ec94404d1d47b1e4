// The language model of Gemma 4 (transformers, models/gemma4): five of six layers have a window; the sixth
// has wider heads, fewer keys, and keys that are values, too. Embeddings of every layer and shared keys, in
// the smallest models, are not supported.
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint32_t kGlobalHeadDim = 512;  // Gemma4TextConfig, if global_head_dim is absent

GroupedQueryAttention read_gemma4_global_attention(ConfigSection& config,
                                                   const GroupedQueryAttention& local) {
  GroupedQueryAttention attention = local;
  attention.head_dim = config.size_or("head_dim", "global_head_dim", kGlobalHeadDim);
  attention.keys_are_values = config.flag("attention_k_eq_v", false);
  const std::uint32_t heads =
      config.size_or("num_key_value_heads", "num_global_key_value_heads", local.num_key_value_heads);
  if (attention.keys_are_values) attention.num_key_value_heads = heads;
  return attention;
}

void read_gemma4_experts(ConfigSection& config, TextModel& model) {
  if (!config.flag("enable_moe_block", false)) {
    config.pass_over({"num_experts", "top_k_experts", "moe_intermediate_size", "expert_intermediate_size"});
    return;
  }
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok", "top_k_experts");
  experts.moe_intermediate_size =
      config.size_of_any("moe_intermediate_size", {"moe_intermediate_size", "expert_intermediate_size"});
  experts.beside_dense = true;
  model.experts = experts;
}

TextModel read_gemma4(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.tie_word_embeddings = config.flag_anywhere("tie_word_embeddings", true);
  model.output_norms = model.layer_scalars = true;
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  attention.head_norms = attention.value_norms = true;
  model.attention = attention;
  model.global_attention = read_gemma4_global_attention(config, attention);
  read_gemma4_experts(config, model);
  read_windows(config, model, {true, true, true, true, true, false});
  config.expect_word("hidden_activation", {"gelu_pytorch_tanh", "gelu"});
  config.expect_word("use_bidirectional_attention", {"vision"});
  config.expect_size("hidden_size_per_layer_input", 0);
  config.expect_size("num_kv_shared_layers", 0);
  config.expect_flag("use_double_wide_mlp", false);
  config.pass_over({"vocab_size_per_layer_input"});  // of the embeddings of every layer, which are off
  return model;
}

}  // namespace

extern const TextFamily kGemma4 = {{"gemma4_text", "gemma4"},
                                   read_gemma4,
                                   {"Tokens of one image are priced with causal attention, although they may "
                                    "attend to each other both ways."}};

}  // namespace spillway
