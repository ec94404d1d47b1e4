// MiniMax-01 and M1 (arXiv 2501.08313, 2506.13585; transformers, models/minimax): seven of eight layers have
// lightning attention; every layer has experts. MiniMax-M3 (modeling_minimax_m3.py of the released files):
// queries attend to blocks of tokens that an indexer chooses; first layers are dense.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

Experts read_minimax_experts(ConfigSection& config, std::uint32_t width) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_local_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = width;
  return experts;
}

// Factors on residuals and on outputs (DeepNorm) are part of sums that run anyway.
void pass_over_minimax_keys(ConfigSection& config) {
  config.expect_word("hidden_act", {"silu"});
  config.expect_size("shared_intermediate_size", 0);
  config.pass_over({"layernorm_full_attention_alpha", "layernorm_full_attention_beta",
                    "layernorm_linear_attention_alpha", "layernorm_linear_attention_beta",
                    "layernorm_mlp_alpha", "layernorm_mlp_beta", "postnorm", "full_attn_alpha_factor",
                    "full_attn_beta_factor", "linear_attn_alpha_factor", "linear_attn_beta_factor",
                    "mlp_alpha_factor", "mlp_beta_factor", "shared_moe_mode", "block_size"});
}

TextModel read_minimax_01(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  const GroupedQueryAttention softmax = read_grouped_query_attention(config, model.hidden_size);
  model.attention = softmax;
  model.experts = read_minimax_experts(config, model.intermediate_size);
  pass_over_minimax_keys(config);
  std::vector<std::uint8_t> kinds = read_bits(config, "attn_type_list", model.num_hidden_layers);
  if (kinds.empty())
    kinds =
        read_kinds(config, "layer_types", model.num_hidden_layers, {"linear_attention", "full_attention"});
  if (kinds.empty()) kinds = {0, 0, 0, 0, 0, 0, 0, 1};
  const LightningAttention lightning{
      .num_attention_heads = softmax.num_attention_heads, .head_dim = softmax.head_dim, .activation = true};
  set_layers(model, {{{lightning}}, {{softmax}}}, kinds, {true});
  return model;
}

// A block of tokens is chosen as a whole.
SparseIndexer read_block_indexer(ConfigSection& sparse) {
  SparseIndexer indexer;
  indexer.index_n_heads = sparse.positive("sparse_num_index_heads");
  indexer.index_head_dim = sparse.positive("sparse_index_dim");
  const std::uint64_t tokens =
      std::uint64_t{sparse.positive("sparse_topk_blocks")} * sparse.positive("sparse_block_size");
  indexer.index_topk = static_cast<std::uint32_t>(std::min<std::uint64_t>(tokens, kMostSize));
  sparse.expect_flag("use_sparse_attention", true);
  sparse.pass_over(
      {"sparse_disable_index_value", "sparse_init_block", "sparse_local_block", "sparse_score_type"});
  return indexer;
}

TextModel read_minimax_m3(ConfigSection& config) {
  TextModel model;
  model.vocab_size = config.size("vocab_size");
  model.hidden_size = config.size("hidden_size");
  model.num_hidden_layers = config.size("num_hidden_layers");
  model.intermediate_size = config.size("intermediate_size", "dense_intermediate_size");
  model.tie_word_embeddings = config.flag("tie_word_embeddings", false);
  GroupedQueryAttention full = read_grouped_query_attention(config, model.hidden_size);
  full.head_norms = config.flag("use_qk_norm", true);
  model.attention = full;
  Experts experts = read_minimax_experts(config, config.positive("intermediate_size"));
  experts.n_shared_experts = config.size_or("n_shared_experts", "n_shared_experts", 0);
  experts.shared_expert_intermediate_size = config.size_or(
      "shared_expert_intermediate_size", "shared_intermediate_size", experts.moe_intermediate_size);
  experts.routing_bias = config.flag("use_routing_bias", true);
  model.experts = experts;
  config.expect_word("hidden_act", {"swigluoai"});
  config.expect_word("qk_norm_type", {"per_head"});
  config.expect_flag("attention_output_gate", false);
  config.pass_over({"use_gemma_norm", "swiglu_alpha", "num_mtp_modules", "num_nextn_predict_layers",
                    "moe_intermediate_size", "first_k_dense_replace", "mtp_transformer_layers"});
  const std::vector<std::uint8_t> moe = read_bits(config, "moe_layer_freq", model.num_hidden_layers);
  std::vector<std::uint8_t> kinds = {0};
  GroupedQueryAttention chosen = full;
  if (config.has("sparse_attention_config")) {
    ConfigSection sparse = config.part("sparse_attention_config");
    chosen.indexer = read_block_indexer(sparse);
    kinds = read_bits(sparse, "sparse_attention_freq", model.num_hidden_layers);
    sparse.refuse_unknown();
    if (kinds.empty()) kinds = {1};
  }
  std::vector<bool> sparse_layers(moe.begin(), moe.end());
  set_layers(model, {{{full}}, {{chosen}}}, kinds, moe.empty() ? std::vector<bool>{true} : sparse_layers);
  return model;
}

}  // namespace

extern const TextFamily kMiniMax01 = {
    {"minimax_text_01", "MiniMaxText01", "minimax_m1", "MiniMaxM1", "minimax"}, read_minimax_01};
extern const TextFamily kMiniMaxM3 = {
    {"minimax_m3", "minimax_m3_vl"},
    read_minimax_m3,
    {"Attention to the blocks that the indexer chose is priced as attention to as many of the last tokens.",
     "How the indexer is trained is not published; nothing is counted for it."}};

}  // namespace spillway
