// MiniMax-M2 (transformers, models/minimax_m2): every layer has experts, and norms of queries and keys cover
// all heads.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_minimax_m2(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.head_norms = attention.joint_norms = config.flag("use_qk_norm", true);
  model.attention = attention;
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_local_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = model.intermediate_size;
  experts.routing_bias = config.flag("use_routing_bias", true);
  model.experts = experts;
  if (config.flag("use_mtp", false))
    model.num_nextn_predict_layers = config.size_or("num_nextn_predict_layers", "num_mtp_modules", 0);
  config.expect_size("mtp_transformer_layers", 1);
  config.expect_size("shared_intermediate_size", 0);
  config.expect_word("qk_norm_type", {"per_layer"});
  config.expect_word("hidden_act", {"silu"});
  config.expect_list_of("attn_type_list", 1);
  config.pass_over({"num_mtp_modules"});
  return model;
}

}  // namespace

extern const TextFamily kMiniMaxM2 = {{"minimax_m2"}, read_minimax_m2};

}  // namespace spillway
