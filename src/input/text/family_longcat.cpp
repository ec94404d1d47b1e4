// LongCat-Flash (arXiv 2509.01322; transformers, models/longcat_flash): a layer has two of latent attention
// and dense feed-forward one after the other. Its experts read what the first feed-forward reads. Some
// experts return their token without computing.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

// A token chooses moe_topk of all experts.
Experts read_longcat_experts(ConfigSection& config) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts");
  experts.zero_experts = config.size_or("zero_experts", "zero_expert_num", 0);
  experts.moe_intermediate_size = config.size("moe_intermediate_size", "expert_ffn_hidden_size");
  const std::uint64_t chosen = config.size("num_experts_per_tok", "moe_topk");
  const std::uint64_t all = std::uint64_t{experts.n_routed_experts} + experts.zero_experts;
  const std::uint64_t computing = all > 0 ? (2 * chosen * experts.n_routed_experts + all) / (2 * all) : 0;
  experts.num_experts_per_tok = static_cast<std::uint32_t>(computing);
  experts.routing_bias = true;
  config.expect_word("zero_expert_type", {"identity"});
  config.expect_flag("router_bias", false);
  return experts;
}

TextModel read_longcat_flash(ConfigSection& config) {
  TextModel model;
  model.vocab_size = config.size("vocab_size");
  model.hidden_size = config.size("hidden_size");
  model.num_hidden_layers = config.size("num_hidden_layers", "num_layers");
  model.intermediate_size = config.size("intermediate_size", "ffn_hidden_size");
  model.tie_word_embeddings = config.flag("tie_word_embeddings", false);
  const LatentAttention attention = read_latent_attention(config);
  model.attention = attention;
  model.experts = read_longcat_experts(config);
  model.forms = {{{attention}, 0, AfterMixers::Both, model.intermediate_size},
                 {{attention}, 0, AfterMixers::Dense, model.intermediate_size}};
  model.order = {0, 1};
  model.forms_per_layer = 2;
  config.expect_word("hidden_act", {"silu"});
  config.expect_word("attention_method", {"MLA"});
  config.expect_flag("attention_bias", false);
  config.pass_over(
      {"num_hidden_layers", "mla_scale_q_lora", "mla_scale_kv_lora", "num_nextn_predict_layers"});
  return model;
}

}  // namespace

extern const TextFamily kLongcatFlash = {{"longcat_flash"},
                                         read_longcat_flash,
                                         {"Tokens choose experts that compute nothing as often as others, so "
                                          "of 12 chosen of 768 in LongCat-Flash 8 compute, "
                                          "as its report's mean of 27 billion active parameters has it."}};

}  // namespace spillway
