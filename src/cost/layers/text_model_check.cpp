#include <algorithm>

#include "base/append.h"
#include "base/error.h"
#include "cost/layers/config_check.h"
#include "cost/layers/text_model.h"

namespace spillway {
namespace {

std::vector<Violation> check(const SparseIndexer& i) {
  return check_sizes({{"index_n_heads", i.index_n_heads},
                      {"index_head_dim", i.index_head_dim},
                      {"index_topk", i.index_topk}});
}

std::vector<Violation> check(const GroupedQueryAttention& a) {
  std::vector<Violation> violations = check_sizes({{"num_attention_heads", a.num_attention_heads},
                                                   {"num_key_value_heads", a.num_key_value_heads},
                                                   {"head_dim", a.head_dim}});
  require_divides(violations, "num_key_value_heads", a.num_key_value_heads, a.num_attention_heads);
  require_at_most(violations, "v_head_dim", a.v_head_dim, kMostSize);
  if (a.indexer) append(violations, check(*a.indexer));
  require_at_most(violations, "query_rank", a.query_rank, kMostSize);
  return violations;
}

std::vector<Violation> check(const LatentAttention& a) {
  std::vector<Violation> violations = check_sizes({{"num_attention_heads", a.num_attention_heads},
                                                   {"kv_lora_rank", a.kv_lora_rank},
                                                   {"qk_nope_head_dim", a.qk_nope_head_dim},
                                                   {"qk_rope_head_dim", a.qk_rope_head_dim},
                                                   {"v_head_dim", a.v_head_dim}});
  require_at_most(violations, "q_lora_rank", a.q_lora_rank, kMostSize);
  if (a.indexer) {
    append(violations, check_sizes({{"q_lora_rank", a.q_lora_rank}}));
    append(violations, check(*a.indexer));
  }
  return violations;
}

std::vector<Violation> check(const GatedDeltaNet& n) {
  std::vector<Violation> violations = check_sizes({{"linear_conv_kernel_dim", n.linear_conv_kernel_dim},
                                                   {"linear_key_head_dim", n.linear_key_head_dim},
                                                   {"linear_value_head_dim", n.linear_value_head_dim},
                                                   {"linear_num_key_heads", n.linear_num_key_heads},
                                                   {"linear_num_value_heads", n.linear_num_value_heads}});
  require_divides(violations, "linear_num_key_heads", n.linear_num_key_heads, n.linear_num_value_heads);
  return violations;
}

std::vector<Violation> check(const KimiDeltaAttention& a) {
  return check_sizes({{"short_conv_kernel_size", a.short_conv_kernel_size},
                      {"num_heads", a.num_heads},
                      {"head_dim", a.head_dim}});
}

std::vector<Violation> check(const Mamba2& a) {
  std::vector<Violation> violations = check_sizes({{"mamba_num_heads", a.mamba_num_heads},
                                                   {"mamba_head_dim", a.mamba_head_dim},
                                                   {"ssm_state_size", a.ssm_state_size},
                                                   {"n_groups", a.n_groups},
                                                   {"conv_kernel", a.conv_kernel},
                                                   {"chunk_size", a.chunk_size}});
  require_divides(violations, "n_groups", a.n_groups, a.mamba_num_heads);
  return violations;
}

std::vector<Violation> check(const LightningAttention& a) {
  return check_sizes({{"num_attention_heads", a.num_attention_heads}, {"head_dim", a.head_dim}});
}

std::vector<Violation> check(const ShortConvolution& a) {
  return check_sizes({{"conv_L_cache", a.conv_L_cache}});
}

std::vector<Violation> check(const Experts& e, std::uint32_t layers) {
  std::vector<Violation> violations =
      check_sizes({{"n_routed_experts", e.n_routed_experts},
                   {"num_experts_per_tok", e.num_experts_per_tok},
                   {"moe_intermediate_size", e.moe_intermediate_size},
                   {"decoder_sparse_step", e.decoder_sparse_step, kMostLayers}});
  require_at_most(violations, "n_shared_experts", e.n_shared_experts, kMostSize);
  if (e.n_shared_experts > 0) {
    append(violations, check_sizes({{"shared_expert_intermediate_size", e.shared_expert_intermediate_size}}));
  }
  append(violations, check_sizes({{"n_group", e.n_group}, {"topk_group", e.topk_group}}));
  require_at_most(violations, "topk_group", e.topk_group, e.n_group);
  if (e.n_group > 0) {
    if (e.n_routed_experts > 0) require_divides(violations, "n_group", e.n_group, e.n_routed_experts);
    require_at_most(violations, "num_experts_per_tok", e.num_experts_per_tok,
                    e.n_routed_experts / e.n_group * e.topk_group);
  }
  require_at_most(violations, "first_k_dense_replace", e.first_k_dense_replace, layers);
  require_at_most(violations, "dense_at_end", e.dense_at_end, layers);
  require_at_most(violations, "moe_latent_size", e.moe_latent_size, kMostSize);
  require_at_most(violations, "zero_experts", e.zero_experts, kMostSize);
  return violations;
}

bool all_sparse(const TextModel& m) {
  return m.experts && m.experts->first_k_dense_replace == 0 && m.experts->dense_at_end == 0 &&
         m.experts->decoder_sparse_step == 1;
}

bool has_dense(const LayerForm& form) {
  return form.feed_forward == AfterMixers::Dense || form.feed_forward == AfterMixers::Both;
}

// Several forms can have the same wrong size.
void append_new(std::vector<Violation>& all, const std::vector<Violation>& more) {
  for (const Violation& one : more)
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

std::vector<Violation> check_forms(const TextModel& m) {
  ensure(!m.order.empty() && m.forms_per_layer > 0, "forms have an order");
  std::vector<Violation> violations;
  for (const LayerForm& form : m.forms) {
    for (const TokenMixer& mixer : form.mixers)
      append_new(violations, std::visit([](const auto& a) { return check(a); }, mixer));
    if (has_dense(form)) append_new(violations, check_sizes({{"intermediate_size", form.intermediate_size}}));
    require_at_most(violations, "sliding_window", form.sliding_window, kMostSize);
  }
  return violations;
}

}  // namespace

std::vector<Violation> check_architecture(const TextModel& m) {
  std::vector<Violation> violations = check_sizes({{"vocab_size", m.vocab_size},
                                                   {"hidden_size", m.hidden_size},
                                                   {"num_hidden_layers", m.num_hidden_layers, kMostLayers}});
  if (m.forms.empty() && !all_sparse(m))
    append(violations, check_sizes({{"intermediate_size", m.intermediate_size}}));
  append_new(violations, std::visit([](const auto& a) { return check(a); }, m.attention));
  if (!m.forms.empty()) append_new(violations, check_forms(m));
  if (!m.windowed.empty()) append(violations, check_sizes({{"sliding_window", m.sliding_window}}));
  if (m.experts) append(violations, check(*m.experts, m.num_hidden_layers));
  require_at_most(violations, "learned_positions", m.learned_positions, kMostSize);
  require_at_most(violations, "num_nextn_predict_layers", m.num_nextn_predict_layers, kMostLayers);
  return violations;
}

}  // namespace spillway
