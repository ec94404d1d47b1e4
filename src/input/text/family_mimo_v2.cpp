// MiMo-V2 (arXiv 2601.02780; modeling_mimo_v2_flash.py of the released files): most layers attend to a short
// window, with heads of their own number and a sink each; values are narrower than keys.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

GroupedQueryAttention read_mimo_attention(ConfigSection& config) {
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.num_key_value_heads = config.size("num_key_value_heads");
  attention.head_dim = config.size("head_dim");
  attention.v_head_dim = config.size_or("v_head_dim", "v_head_dim", attention.head_dim);
  attention.qkv_bias = config.flag("attention_bias", false);
  attention.sinks = config.flag("add_full_attention_sink_bias", false);
  return attention;
}

GroupedQueryAttention read_mimo_window(ConfigSection& config, GroupedQueryAttention attention) {
  attention.num_attention_heads =
      config.positive_or("swa_num_attention_heads", attention.num_attention_heads);
  attention.num_key_value_heads =
      config.positive_or("swa_num_key_value_heads", attention.num_key_value_heads);
  attention.head_dim = config.positive_or("swa_head_dim", attention.head_dim);
  attention.v_head_dim = config.positive_or("swa_v_head_dim", attention.v_head_dim);
  attention.sinks = config.flag("add_swa_attention_sink_bias", false);
  return attention;
}

// One product makes queries, keys and values of a projection of either layout.
TextModel read_mimo_v2(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  const GroupedQueryAttention full = read_mimo_attention(config);
  model.attention = full;
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  experts.n_group = config.size_or("n_group", "n_group", 1);
  experts.topk_group = config.size_or("topk_group", "topk_group", 1);
  experts.n_shared_experts = config.size_or("n_shared_experts", "n_shared_experts", 0);
  experts.shared_expert_intermediate_size = experts.moe_intermediate_size;
  experts.routing_bias = true;
  model.experts = experts;
  config.expect_word("hidden_act", {"silu"});
  config.pass_over({"sliding_window_size", "attention_chunk_size", "attention_value_scale",
                    "attention_projection_layout", "num_nextn_predict_layers", "hybrid_block_size",
                    "moe_router_dtype"});
  std::vector<std::uint8_t> kinds = read_bits(config, "hybrid_layer_pattern", model.num_hidden_layers);
  if (kinds.empty()) kinds = {0};
  const std::vector<std::uint8_t> moe = read_bits(config, "moe_layer_freq", model.num_hidden_layers);
  const std::vector<bool> sparse(moe.begin(), moe.end());
  const std::uint32_t window = config.has("sliding_window") ? config.positive("sliding_window")
                                                            : config.positive("sliding_window_size");
  set_layers(model, {{{full}}, {{read_mimo_window(config, full)}, window}}, kinds,
             moe.empty() ? std::vector<bool>{true} : sparse);
  return model;
}

}  // namespace

extern const TextFamily kMiMoV2 = {{"mimo_v2_flash", "mimo_v2"}, read_mimo_v2};

}  // namespace spillway
