// GLM-4 and GLM-4.5 to 4.7 (arXiv 2406.12793, 2508.06471; transformers, models/glm, glm4, glm4_moe): only
// queries, keys and values have biases. GLM-4-0414 has norms around attention and feed-forward.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_glm(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_attention_with_biases(config, model.hidden_size, true);
  config.expect_word("hidden_act", {"silu"});
  return model;
}

TextModel read_glm4(ConfigSection& config) {
  TextModel model = read_glm(config);
  model.output_norms = true;
  return model;
}

TextModel read_glm4_moe(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_attention_with_biases(config, model.hidden_size, false);
  attention.head_norms = config.flag("use_qk_norm", false);
  model.attention = attention;
  model.experts = read_deepseek_experts(config);
  model.experts->routing_bias = true;
  model.num_nextn_predict_layers = config.size_or("num_nextn_predict_layers", "num_nextn_predict_layers", 0);
  config.expect_word("hidden_act", {"silu"});
  config.pass_over({"use_grouped_mm"});  // which kernel runs the experts
  return model;
}

// Reads the files that came with their own code.
TextModel read_chatglm(ConfigSection& config) {
  TextModel model;
  model.vocab_size = config.size("vocab_size", "padded_vocab_size");
  model.hidden_size = config.size("hidden_size");
  model.num_hidden_layers = config.size("num_hidden_layers", "num_layers");
  model.intermediate_size = config.size("intermediate_size", "ffn_hidden_size");
  model.tie_word_embeddings = config.flag("tie_word_embeddings", false);
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.num_key_value_heads = attention.num_attention_heads;
  if (config.flag("multi_query_attention", false))
    attention.num_key_value_heads = config.size("num_key_value_heads", "multi_query_group_num");
  attention.head_dim = config.size("head_dim", "kv_channels");
  attention.qkv_bias = config.flag("add_qkv_bias", false);
  model.attention = attention;
  config.expect_flag("add_bias_linear", false);
  config.expect_flag("rmsnorm", true);
  config.expect_flag("post_layer_norm", true);
  config.expect_flag("apply_residual_connection_post_layernorm", false);
  config.pass_over({"vocab_size", "num_hidden_layers", "multi_query_group_num", "seq_length",
                    "attention_softmax_in_fp32", "apply_query_key_layer_scaling", "bias_dropout_fusion",
                    "fp32_residual_connection", "original_rope", "pre_seq_len", "prefix_projection",
                    "interleaved_qkv"});
  return model;
}

}  // namespace

extern const TextFamily kGlm = {{"glm"}, read_glm};
extern const TextFamily kGlm4 = {{"glm4", "glm4v_text", "glm4v"}, read_glm4};
extern const TextFamily kGlm4Moe = {{"glm4_moe", "glm4v_moe_text", "glm4v_moe"}, read_glm4_moe};
extern const TextFamily kChatGlm = {{"chatglm"}, read_chatglm};

}  // namespace spillway
