// InternLM2 (arXiv 2403.17297): Llama with one product for queries, keys and values.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_internlm2(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("bias", false);
  model.attention = attention;
  config.expect_word("hidden_act", {"silu"});
  config.pass_over({"attn_implementation"});
  return model;
}

}  // namespace

extern const TextFamily kInternLm2 = {{"internlm2"}, read_internlm2};

}  // namespace spillway
