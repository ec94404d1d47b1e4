// Qwen2 and Qwen3 (transformers, models/qwen2, qwen3, qwen3_moe), which are also the language models of
// Qwen2-VL and Qwen3-VL.
#include <algorithm>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

// Windows are off in the released files. If they are on, layers from max_window_layers on have one.
void read_qwen_windows(ConfigSection& config, TextModel& model) {
  if (!config.flag("use_sliding_window", false)) {
    config.pass_over({"sliding_window"});
    return expect_full_attention(config, model.num_hidden_layers);
  }
  const std::uint32_t first = config.optional_size("max_window_layers").value_or(0);
  std::vector<bool> windowed(std::min(model.num_hidden_layers, kMostLayers), true);
  std::fill_n(windowed.begin(), std::min<std::size_t>(first, windowed.size()), false);
  read_windows(config, model, windowed);
}

TextModel read_common(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  config.expect_word("hidden_act", {"silu"});
  config.pass_over({"init_std"});
  read_qwen_windows(config, model);
  return model;
}

TextModel read_qwen2(ConfigSection& config) {
  TextModel model = read_common(config);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = true;
  model.attention = attention;
  return model;
}

TextModel read_qwen3(ConfigSection& config) {
  TextModel model = read_common(config);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.head_norms = true;
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  model.attention = attention;
  return model;
}

TextModel read_qwen3_moe(ConfigSection& config) {
  TextModel model = read_qwen3(config);
  Experts experts = read_qwen_experts(config);
  experts.decoder_sparse_step = config.size_or("decoder_sparse_step", "decoder_sparse_step", 1);
  config.expect_empty("mlp_only_layers");
  config.expect_flag("use_qk_norm", true);
  config.expect_size("shared_expert_intermediate_size", 0);
  model.experts = experts;
  return model;
}

// Qwen1.5-MoE and Qwen2-57B-A14B: a shared expert with a gate.
TextModel read_qwen2_moe(ConfigSection& config) {
  TextModel model = read_qwen2(config);
  Experts experts = read_qwen_experts(config);
  experts.n_shared_experts = 1;
  experts.shared_expert_intermediate_size = config.size("shared_expert_intermediate_size");
  experts.shared_expert_gate = true;
  experts.decoder_sparse_step = config.size_or("decoder_sparse_step", "decoder_sparse_step", 1);
  config.expect_empty("mlp_only_layers");
  config.expect_flag("qkv_bias", true);
  model.experts = experts;
  return model;
}

// MiMo-7B (arXiv 2505.07608): Qwen2 with layers of multi-token prediction.
TextModel read_mimo(ConfigSection& config) {
  TextModel model = read_qwen2(config);
  config.expect_flag("attention_bias", true);
  model.num_nextn_predict_layers = config.size_or("num_nextn_predict_layers", "num_nextn_predict_layers", 0);
  return model;
}

}  // namespace

Experts read_qwen_experts(ConfigSection& config) {
  Experts experts;
  experts.n_routed_experts = config.size_of_any("n_routed_experts", {"num_experts", "num_local_experts"});
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  return experts;
}

extern const TextFamily kQwen2 = {
    {"qwen2", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen2_5_omni_thinker"},
    read_qwen2};
extern const TextFamily kQwen2Moe = {{"qwen2_moe"}, read_qwen2_moe};
extern const TextFamily kMiMo = {{"mimo"}, read_mimo};
extern const TextFamily kQwen3 = {{"qwen3", "qwen3_vl", "qwen3_vl_text"}, read_qwen3};
extern const TextFamily kQwen3Moe = {
    {"qwen3_moe", "qwen3_vl_moe", "qwen3_vl_moe_text", "qwen3_omni_moe_thinker"}, read_qwen3_moe};

}  // namespace spillway
