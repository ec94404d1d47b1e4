// Gemma 1 to 3 (arXiv 2403.08295, 2408.00118, 2503.19786; transformers, models/gemma, gemma2, gemma3): gated
// GELU, tied embeddings. Gemma 2 and 3 have norms around attention and feed-forward. In Gemma 2 every second
// layer has a window, in Gemma 3 five of six. Soft caps on scores and logits are part of the kernels that
// compute these.
#include "input/architecture/families.h"

namespace spillway {
namespace {

// Defaults of Gemma3TextConfig, which the released files of models with images leave out.
constexpr std::uint32_t kUsualVocabulary = 262'208, kUsualHeads = 8, kUsualKeyValueHeads = 4,
                        kUsualHeadDim = 256;

void read_gemma(ConfigSection& config, TextModel& model, const GroupedQueryAttention& attention) {
  model.tie_word_embeddings = config.flag_anywhere("tie_word_embeddings", true);
  model.attention = attention;
  for (const char* key : {"hidden_act", "hidden_activation"})
    config.expect_word(key, {"gelu_pytorch_tanh", "gelu"});
  config.expect_flag("use_bidirectional_attention", false);
}

GroupedQueryAttention read_attention(ConfigSection& config, const TextModel& model) {
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  return attention;
}

TextModel read_gemma1(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  read_gemma(config, model, read_attention(config, model));
  return model;
}

// A file without a key has what the configuration classes of Gemma 2 and 3 have, as in PaliGemma 2.
GroupedQueryAttention read_gemma2_attention(ConfigSection& config) {
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size_or("num_attention_heads", "num_attention_heads", kUsualHeads);
  attention.num_key_value_heads =
      config.size_or("num_key_value_heads", "num_key_value_heads", kUsualKeyValueHeads);
  attention.head_dim = config.size_or("head_dim", "head_dim", kUsualHeadDim);
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  return attention;
}

TextModel read_gemma2(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  read_gemma(config, model, read_gemma2_attention(config));
  model.output_norms = true;
  config.pass_over({"sliding_window_size"});  // the same number, in older files
  read_windows(config, model, {true, false});
  return model;
}

GroupedQueryAttention read_gemma3_attention(ConfigSection& config) {
  GroupedQueryAttention attention = read_gemma2_attention(config);
  attention.head_norms = true;
  return attention;
}

TextModel read_gemma3(ConfigSection& config) {
  TextModel model;
  model.vocab_size = config.size_or("vocab_size", "vocab_size", kUsualVocabulary);
  model.hidden_size = config.size("hidden_size");
  model.num_hidden_layers = config.size("num_hidden_layers");
  model.intermediate_size = config.size("intermediate_size");
  model.output_norms = true;
  read_gemma(config, model, read_gemma3_attention(config));
  for (const char* key : {"sliding_window_pattern", "_sliding_window_pattern"}) config.expect_size(key, 6);
  read_windows(config, model, {true, true, true, true, true, false});
  return model;
}

}  // namespace

extern const TextFamily kGemma = {{"gemma"}, read_gemma1};
extern const TextFamily kGemma2 = {{"gemma2"}, read_gemma2};
extern const TextFamily kGemma3 = {{"gemma3_text", "gemma3"},
                                   read_gemma3,
                                   {"Tokens of one image are priced with causal attention, although they may "
                                    "attend to each other both ways."}};

}  // namespace spillway
