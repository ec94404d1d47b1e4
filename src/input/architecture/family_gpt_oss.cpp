// gpt-oss (arXiv 2508.10925; transformers, models/gpt_oss): every layer has experts, every second layer has a
// window, all products have biases, and each head has a sink.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_gpt_oss(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", true);
  attention.sinks = true;
  model.attention = attention;
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_local_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  config.expect_size("experts_per_token",
                     experts.num_experts_per_tok);  // the same number, under another name
  experts.moe_intermediate_size = model.intermediate_size;
  experts.biases = true;
  model.experts = experts;
  config.expect_word("hidden_act", {"silu"});
  read_windows(config, model, {true, false});
  return model;
}

}  // namespace

extern const TextFamily kGptOss = {{"gpt_oss"}, read_gpt_oss};

}  // namespace spillway
