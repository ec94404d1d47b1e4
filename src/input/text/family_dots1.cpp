// dots.llm1 (arXiv 2506.05767; transformers, models/dots1): DeepSeek's experts behind softmax attention with
// norms of queries and keys. Solar Open has the same form (transformers, models/solar_open), without the
// norms.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_dots1(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_attention_with_biases(config, model.hidden_size, false);
  attention.output_bias = attention.qkv_bias;
  attention.head_norms = true;
  model.attention = attention;
  model.experts = read_deepseek_experts(config);
  model.experts->routing_bias = true;
  config.expect_word("hidden_act", {"silu"});
  read_windows(config, model, {false});
  return model;
}

TextModel read_solar_open(ConfigSection& config) {
  TextModel model = read_dots1(config);
  std::get<GroupedQueryAttention>(model.attention).head_norms = config.flag("use_qk_norm", false);
  return model;
}

}  // namespace

extern const TextFamily kDots1 = {{"dots1"}, read_dots1};
extern const TextFamily kSolarOpen = {{"solar_open"}, read_solar_open};

}  // namespace spillway
