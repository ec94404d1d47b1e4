// DeepSeek-V2 and -V3 (arXiv 2405.04434, 2412.19437; transformers, models/deepseek_v2, deepseek_v3).
#include "spec/architecture/families.h"

namespace spillway {
namespace {

LatentAttention read_latent_attention(ConfigSection& config) {
  LatentAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.q_lora_rank = config.size_or("q_lora_rank", "q_lora_rank", 0);  // null in DeepSeek-V2-Lite
  attention.kv_lora_rank = config.size("kv_lora_rank");
  attention.qk_nope_head_dim = config.size("qk_nope_head_dim");
  attention.qk_rope_head_dim = config.size("qk_rope_head_dim");
  attention.v_head_dim = config.size("v_head_dim");
  // Keys and values are expanded for every head; what transformers writes beside that derives from it.
  config.pass_over({"num_key_value_heads", "head_dim", "qk_head_dim"});
  return attention;
}

Experts read_experts(ConfigSection& config) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  experts.n_group = config.size_or("n_group", "n_group", 1);
  experts.topk_group = config.size_or("topk_group", "topk_group", 1);
  experts.n_shared_experts = config.size_or("n_shared_experts", "n_shared_experts", 0);
  experts.shared_expert_intermediate_size = experts.moe_intermediate_size;
  experts.first_k_dense_replace = config.size("first_k_dense_replace");
  config.expect_size("moe_layer_freq", 1);
  return experts;
}

TextModel read_deepseek_v2(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_latent_attention(config);
  model.experts = read_experts(config);
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("attention_bias", false);
  config.expect_flag("mlp_bias", false);
  return model;
}

TextModel read_deepseek_v3(ConfigSection& config) {
  TextModel model = read_deepseek_v2(config);
  model.experts->routing_bias = true;
  model.num_nextn_predict_layers = config.size_or("num_nextn_predict_layers", "num_nextn_predict_layers", 0);
  return model;
}

}  // namespace

const TextFamily kDeepSeekV2 = {{"deepseek_v2"}, read_deepseek_v2};
const TextFamily kDeepSeekV3 = {{"deepseek_v3"}, read_deepseek_v3};

}  // namespace spillway
