// ERNIE 4.5 (transformers, models/ernie4_5, ernie4_5_moe): Llama, and with experts in layers from
// moe_layer_start_index on.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_ernie(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("use_bias", false);
  model.attention = attention;
  if (attention.qkv_bias) model.feed_forward = FeedForward::SwiGluWithBiases;
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("use_rmsnorm", true);
  config.pass_over({"compression_ratio", "max_sequence_length", "num_nextn_predict_layers",
                    "use_sparse_flash_attn", "fuse_rope", "fuse_ln", "rope_reorder", "is_quantized"});
  return model;
}

TextModel read_ernie_moe(ConfigSection& config) {
  TextModel model = read_ernie(config);
  config.expect_flag("use_bias", false);
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "moe_num_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok", "moe_k");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  experts.n_shared_experts = config.size_or("n_shared_experts", "moe_num_shared_experts", 0);
  experts.shared_expert_intermediate_size = experts.moe_intermediate_size;
  experts.routing_bias = config.flag("moe_use_aux_free", true);
  experts.first_k_dense_replace = config.size_or("first_k_dense_replace", "moe_layer_start_index", 1);
  experts.decoder_sparse_step = config.size_or("decoder_sparse_step", "moe_layer_interval", 1);
  model.experts = experts;
  // -1, too, is the last layer.
  const std::int64_t last = std::int64_t{model.num_hidden_layers} - 1;
  if (!config.is_whole("moe_layer_end_index", -1)) config.expect_whole("moe_layer_end_index", last);
  config.expect_word("moe_gate", {"topk"});
  config.pass_over({"moe_capacity", "moe_norm_min", "moe_norm_gate_logits", "moe_gate_act", "moe_group",
                    "moe_multimodal_dispatch_use_allgather"});
  return model;
}

}  // namespace

extern const TextFamily kErnie = {{"ernie4_5"}, read_ernie};
extern const TextFamily kErnieMoe = {{"ernie4_5_moe"}, read_ernie_moe};

}  // namespace spillway
