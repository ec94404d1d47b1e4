// Gemma 2 and 3 (arXiv 2408.00118, 2503.19786; transformers, models/gemma2, gemma3): norms around attention
// and feed-forward, gated GELU, tied embeddings; every second layer has a window, or five of six. Soft caps
// on scores and logits are part of the kernels that make them.
#include "spec/architecture/families.h"

namespace spillway {
namespace {

TextModel read_gemma(ConfigSection& config, bool head_norms) {
  TextModel model;
  read_common_sizes(config, model);
  model.tie_word_embeddings = config.flag_anywhere("tie_word_embeddings", true);
  model.output_norms = true;
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.head_norms = head_norms;
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  model.attention = attention;
  for (const char* key : {"hidden_act", "hidden_activation"})
    config.expect_word(key, {"gelu_pytorch_tanh", "gelu"});
  return model;
}

TextModel read_gemma2(ConfigSection& config) {
  TextModel model = read_gemma(config, false);
  config.pass_over({"sliding_window_size"});  // the same number, in older files
  read_windows(config, model, {true, false});
  return model;
}

TextModel read_gemma3(ConfigSection& config) {
  TextModel model = read_gemma(config, true);
  config.expect_size("sliding_window_pattern", 6);
  read_windows(config, model, {true, true, true, true, true, false});
  return model;
}

}  // namespace

const TextFamily kGemma2 = {{"gemma2"}, read_gemma2};
const TextFamily kGemma3 = {{"gemma3_text"}, read_gemma3};

}  // namespace spillway
