// Qwen2 and Qwen3 (transformers, models/qwen2, qwen3, qwen3_moe), also as the language models of Qwen2-VL and
// Qwen3-VL. Window attention is not counted: the released files have it turned off.
#include "spec/architecture/families.h"

namespace spillway {
namespace {

void refuse_windows(ConfigSection& config, std::uint32_t layers) {
  config.expect_flag("use_sliding_window", false);
  config.pass_over({"sliding_window"});
  const std::vector<std::string> types = config.words("layer_types");
  if (!types.empty() && types.size() != layers)
    config.refuse("layer_types", std::to_string(layers) + " layers", std::to_string(types.size()));
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] != "full_attention")
      config.refuse_element("layer_types", i, "\"full_attention\"", '"' + types[i] + '"');
  }
}

TextModel read_common(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  config.expect_word("hidden_act", {"silu"});
  refuse_windows(config, model.num_hidden_layers);
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
  model.experts = experts;
  return model;
}

}  // namespace

Experts read_qwen_experts(ConfigSection& config) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  return experts;
}

const TextFamily kQwen2 = {{"qwen2", "qwen2_vl", "qwen2_vl_text"}, read_qwen2};
const TextFamily kQwen3 = {{"qwen3", "qwen3_vl", "qwen3_vl_text"}, read_qwen3};
const TextFamily kQwen3Moe = {{"qwen3_moe", "qwen3_vl_moe", "qwen3_vl_moe_text"}, read_qwen3_moe};

}  // namespace spillway
