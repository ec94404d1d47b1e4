// Hunyuan (arXiv 2411.02265; transformers, models/hunyuan_v1_dense, hunyuan_v1_moe) and Hy3: norms of queries
// and keys, and experts beside a shared one.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

// Reads a number, or a list with the same number for each layer.
std::uint32_t uniform(ConfigSection& config, std::string_view key, std::uint32_t otherwise) {
  if (!config.has_list(key)) return config.positive_or(key, otherwise);
  const std::vector<std::uint32_t> all = config.sizes(key);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] != all[0] || all[i] == 0)
      config.refuse_element(key, i, "the same number above 0 in every layer", std::to_string(all[i]));
  return all.empty() ? otherwise : std::max(all[0], 1U);
}

GroupedQueryAttention read_hunyuan_attention(ConfigSection& config, std::uint32_t hidden_size) {
  GroupedQueryAttention attention = read_attention_with_biases(config, hidden_size, false);
  attention.output_bias = attention.qkv_bias;
  attention.head_norms = config.flag("use_qk_norm", true);
  if (const auto width = config.optional_size("attention_head_dim")) attention.head_dim = *width;
  return attention;
}

// Of what the code can do besides, the released files use nothing. Keys of images and pooling are for other
// models of the same code.
void pass_over_hunyuan_keys(ConfigSection& config) {
  config.expect_word("hidden_act", {"silu"});
  config.expect_word("norm_type", {"rms"});
  config.expect_flag("mlp_bias", false);
  config.expect_flag("use_cla", false);
  config.expect_flag("use_mla", false);
  config.pass_over({"cla_share_factor", "anyres_pooling_size",   "class_num",
                    "dense_list",       "eod_token_id",          "im_end_id",
                    "im_newline_id",    "im_start_id",           "mask_init_id",
                    "num_media_embeds", "org_vocab_size",        "pad_id",
                    "pool_type",        "text_end_id",           "text_start_id",
                    "video_end_id",     "video_start_id",        "vit_input_resolution",
                    "vit_mapping_type", "vit_norm_type",         "vit_patch",
                    "vit_token",        "use_rotary_pos_emb",    "moe_drop_tokens",
                    "norm_topk_prob",   "routed_scaling_factor", "attention_head_dim",
                    "sep_token_id"});
}

TextModel read_hunyuan_dense(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_hunyuan_attention(config, model.hidden_size);
  pass_over_hunyuan_keys(config);
  return model;
}

// A shared expert is as wide as num_shared_expert routed ones.
TextModel read_hunyuan_moe(ConfigSection& config) {
  TextModel model = read_hunyuan_dense(config);
  if (config.has_list("num_experts") || config.size_or("num_experts", "num_experts", 1) > 1) {
    Experts experts;
    experts.n_routed_experts = uniform(config, "num_experts", 1);
    experts.num_experts_per_tok = uniform(config, "moe_topk", 1);
    experts.moe_intermediate_size = uniform(config, "moe_intermediate_size", model.intermediate_size);
    experts.first_k_dense_replace = config.size_or("moe_layer_num_skipped", "moe_layer_num_skipped", 0);
    const bool shared = config.flag("use_mixed_mlp_moe", false);
    experts.n_shared_experts = shared ? uniform(config, "num_shared_expert", 1) : 0;
    experts.shared_expert_intermediate_size = experts.moe_intermediate_size;
    model.experts = experts;
  }
  config.pass_over({"moe_topk", "moe_intermediate_size", "num_shared_expert"});
  return model;
}

TextModel read_hy_v3(ConfigSection& config) {
  TextModel model = read_hunyuan_dense(config);
  std::get<GroupedQueryAttention>(model.attention).head_norms = config.flag("qk_norm", true);
  Experts experts = read_qwen_experts(config);
  experts.n_shared_experts = config.size_or("n_shared_experts", "num_shared_experts", 1);
  experts.shared_expert_intermediate_size = experts.moe_intermediate_size;
  experts.first_k_dense_replace = config.size_or("first_k_dense_replace", "first_k_dense_replace", 1);
  experts.routing_bias = config.flag("moe_router_enable_expert_bias", true);
  model.experts = experts;
  model.num_nextn_predict_layers = config.size_or("num_nextn_predict_layers", "num_nextn_predict_layers", 0);
  config.expect_size("expert_hidden_dim", experts.moe_intermediate_size);
  config.pass_over({"router_scaling_factor", "route_norm", "moe_router_use_sigmoid",
                    "enable_moe_fp32_combine", "enable_lm_head_fp32", "enable_attention_fp32_softmax",
                    "use_grouped_mm"});
  return model;
}

}  // namespace

extern const TextFamily kHunyuanDense = {{"hunyuan_v1_dense"}, read_hunyuan_dense};
extern const TextFamily kHunyuanMoe = {{"hunyuan", "hunyuan_v1_moe"}, read_hunyuan_moe};
extern const TextFamily kHyV3 = {{"hy_v3"}, read_hy_v3};

}  // namespace spillway
