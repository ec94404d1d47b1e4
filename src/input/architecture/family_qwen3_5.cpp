// The language model of Qwen3.5 (transformers, models/qwen3_5, qwen3_5_moe): every full_attention_interval-th
// layer has gated softmax attention; the others have a gated delta net.
#include "base/text.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint32_t kFullAttentionInterval = 4;  // Qwen3_5TextConfig

// If the file lists its layers, the list must agree with the interval.
void compare_layer_types(ConfigSection& config, std::uint32_t layers, std::uint32_t interval) {
  const std::vector<std::string> types = config.words("layer_types");
  if (types.empty()) return;
  if (types.size() != layers) {
    config.refuse("layer_types", counted(layers, "layer"), std::to_string(types.size()));
    return;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const bool full = interval != 0 && (i + 1) % interval == 0;
    const std::string expected = full ? "full_attention" : "linear_attention";
    if (types[i] == expected) continue;
    config.refuse_element("layer_types", i,
                          '"' + expected + "\", since full_attention_interval is " + std::to_string(interval),
                          '"' + types[i] + '"');
    return;
  }
}

GatedDeltaNet read_delta_net(ConfigSection& config) {
  GatedDeltaNet linear;
  linear.linear_conv_kernel_dim = config.size("linear_conv_kernel_dim");
  linear.linear_key_head_dim = config.size("linear_key_head_dim");
  linear.linear_value_head_dim = config.size("linear_value_head_dim");
  linear.linear_num_key_heads = config.size("linear_num_key_heads");
  linear.linear_num_value_heads = config.size("linear_num_value_heads");
  return linear;
}

// Called when feed-forward or experts are known.
void read_hybrid(ConfigSection& config, TextModel& model) {
  const std::uint32_t interval =
      config.size_or("full_attention_interval", "full_attention_interval", kFullAttentionInterval);
  compare_layer_types(config, model.num_hidden_layers, interval);
  set_layers(model, {{{read_delta_net(config)}}, {{std::get<GroupedQueryAttention>(model.attention)}}},
             every(config, "full_attention_interval", interval), {model.experts.has_value()});
}

TextModel read_all_but_feed_forward(ConfigSection& config) {
  TextModel model;
  model.vocab_size = config.size("vocab_size");
  model.hidden_size = config.size("hidden_size");
  model.num_hidden_layers = config.size("num_hidden_layers");
  model.tie_word_embeddings = config.flag_anywhere("tie_word_embeddings", false);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.head_norms = attention.output_gate = true;
  model.attention = attention;
  model.num_nextn_predict_layers = config.size_or("num_nextn_predict_layers", "mtp_num_hidden_layers", 0);
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("attention_bias", false);
  config.expect_flag("attn_output_gate", true);
  config.expect_word("output_gate_type", {"swish", "sigmoid"});
  config.expect_flag("mtp_use_dedicated_embeddings", false);
  config.expect_empty("mlp_only_layers");
  return model;
}

TextModel read_qwen3_5(ConfigSection& config) {
  TextModel model = read_all_but_feed_forward(config);
  model.intermediate_size = config.size("intermediate_size");
  read_hybrid(config, model);
  return model;
}

TextModel read_qwen3_5_moe(ConfigSection& config) {
  TextModel model = read_all_but_feed_forward(config);
  Experts experts = read_qwen_experts(config);
  experts.n_shared_experts = 1;
  experts.shared_expert_intermediate_size = config.size("shared_expert_intermediate_size");
  experts.shared_expert_gate = true;
  model.experts = experts;
  config.pass_over({"intermediate_size"});  // no layer is dense
  read_hybrid(config, model);
  return model;
}

// Qwen3-Next: the same layers, with one product for queries, keys, values and gates, and one for decays and
// steps.
TextModel read_qwen3_next(ConfigSection& config) {
  config.expect_size("decoder_sparse_step", 1);
  config.pass_over({"use_sliding_window", "sliding_window"});
  return read_qwen3_5_moe(config);
}

}  // namespace

extern const TextFamily kQwen3_5 = {{"qwen3_5", "qwen3_5_text"}, read_qwen3_5};
extern const TextFamily kQwen3Next = {{"qwen3_next"}, read_qwen3_next};
extern const TextFamily kQwen3_5Moe = {{"qwen3_5_moe", "qwen3_5_moe_text"}, read_qwen3_5_moe};

}  // namespace spillway
