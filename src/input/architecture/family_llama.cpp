// Llama (transformers, models/llama).
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_llama(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  model.attention = attention;
  config.expect_word("hidden_act", {"silu"});
  if (config.flag("mlp_bias", false)) model.feed_forward = FeedForward::SwiGluWithBiases;
  config.pass_over({"is_llama_config", "rope_interleaved"});
  return model;
}

}  // namespace

extern const TextFamily kLlama = {{"llama"}, read_llama};

}  // namespace spillway
