// Phi-3 and Phi-4 (arXiv 2404.14219, 2412.08905; transformers, models/phi3), Phi-3.5-MoE (models/phimoe), and
// Phi-1 to Phi-2 (models/phi).
#include "input/architecture/families.h"

namespace spillway {
namespace {

// One product makes queries, keys and values, one gates and values; neither has biases.
TextModel read_phi3(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_grouped_query_attention(config, model.hidden_size);
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("attention_bias", false);
  config.expect_flag("mlp_bias", false);
  model.head_bias = config.flag("lm_head_bias", false);
  config.pass_over({"full_attn_mod", "interpolate_factor"});
  read_windows(config, model, {true});
  return model;
}

TextModel read_phimoe(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_attention_with_biases(config, model.hidden_size, false);
  attention.output_bias = attention.qkv_bias;
  model.attention = attention;
  model.norm = NormKind::Layer;
  model.head_bias = config.flag("lm_head_bias", false);
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_local_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = model.intermediate_size;
  model.experts = experts;
  config.expect_word("hidden_act", {"silu"});
  config.pass_over({"input_jitter_noise"});
  read_windows(config, model, {true});
  return model;
}

// Attention and feed-forward read one layer norm; all products have biases.
TextModel read_phi(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = true;
  model.attention = attention;
  model.feed_forward = FeedForward::Gelu;
  model.norm = NormKind::Layer;
  model.parallel = model.head_bias = true;
  config.expect_word("hidden_act", {"gelu_new", "gelu"});
  config.expect_flag("qk_layernorm", false);
  return model;
}

}  // namespace

extern const TextFamily kPhi3 = {{"phi3"}, read_phi3};
extern const TextFamily kPhiMoe = {{"phimoe"}, read_phimoe};
extern const TextFamily kPhi = {{"phi"}, read_phi};

}  // namespace spillway
