// StarCoder2 (arXiv 2402.19173; transformers, models/starcoder2) and GPT-NeoX (arXiv 2204.06745;
// models/gpt_neox): layer norms, and a feed-forward of two products with biases.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_starcoder2(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.tie_word_embeddings = config.flag("tie_word_embeddings", true);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("use_bias", true);
  model.attention = attention;
  model.norm = NormKind::Layer;
  model.feed_forward = attention.qkv_bias ? FeedForward::Gelu : FeedForward::Plain;
  config.expect_word("hidden_act", {"gelu_pytorch_tanh", "gelu"});
  config.expect_word("mlp_type", {"default"});
  config.expect_word("norm_type", {"layer_norm"});
  config.pass_over({"activation_function", "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32",
                    "scale_attn_weights"});
  read_windows(config, model, {true});
  return model;
}

TextModel read_gpt_neox(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", true);
  model.attention = attention;
  model.norm = NormKind::Layer;
  model.feed_forward = FeedForward::Gelu;
  model.parallel = model.second_norm = config.flag("use_parallel_residual", true);
  config.expect_word("hidden_act", {"gelu", "gelu_fast", "gelu_new"});
  config.pass_over(
      {"rotary_pct", "attention_probs_dropout_prob", "gpt_j_residual", "output_layer_parallelism"});
  return model;
}

}  // namespace

extern const TextFamily kStarcoder2 = {{"starcoder2"}, read_starcoder2};
extern const TextFamily kGptNeoX = {{"gpt_neox"}, read_gpt_neox};

}  // namespace spillway
