#include "cost/layers/text_model.h"

#include <utility>

#include "base/append.h"
#include "cost/layers/config_check.h"

namespace spillway {
namespace {

Layer norm_of(const TextModel& m) {
  return norm_of(m.norm, m.hidden_size);
}

Layer layer_scalar(const TextModel& m) {
  return nonlinear("layer scale", m.hidden_size, m.hidden_size, Share::Tokens) + parameters(1, Share::Tokens);
}

Layer softmax_attention(const TextModel& m, std::uint32_t window) {
  Layer layer =
      m.global_attention && window == 0
          ? attention_of(*m.global_attention, m.hidden_size, m.fused_attention)
          : std::visit([&](const auto& a) { return attention_of(a, m.hidden_size, m.fused_attention); },
                       m.attention);
  for (Operator& op : layer.operators)
    if (op.kind == OperatorKind::Attention && window > 0) {
      op.window = window;
      op.blocks = m.window_blocks;
    }
  return layer;
}

std::uint32_t sliding_window_of(const TextModel& m, std::uint32_t layer) {
  return !m.windowed.empty() && m.windowed[layer % m.windowed.size()] ? m.sliding_window : 0;
}

bool has_full_attention(const TextModel& m, std::uint32_t layer) {
  return !m.hybrid || (layer + 1) % m.hybrid->full_attention_interval == 0;
}

Layer dense_feed_forward(const TextModel& m) {
  return m.feed_forward == FeedForward::SwiGlu ? swiglu(m.hidden_size, m.intermediate_size)
                                               : mlp(m.hidden_size, m.intermediate_size);
}

// The sigmoid of a product to one number, multiplied by the shared expert's output.
Layer shared_expert_gate(std::uint64_t width) {
  return on_shared_input(linear("shared gate", width, 1, Share::Tokens), width) +
         nonlinear("shared gating", width + 1, width, Share::Tokens);
}

// Tensor parallelism splits shared experts, so they gather and scatter; routed experts exchange tokens.
Layer mixture(const TextModel& m, const Experts& e) {
  Layer layer =
      routed_experts(m.hidden_size, e.moe_intermediate_size, e.n_routed_experts, e.num_experts_per_tok);
  layer.routing.groups = e.n_group;
  layer.routing.chosen_groups = e.topk_group;
  if (e.routing_bias || e.biases) layer += parameters(e.n_routed_experts, Share::Tokens);
  if (e.biases)
    layer += parameters(e.n_routed_experts * (2 * std::uint64_t{e.moe_intermediate_size} + m.hidden_size),
                        Share::Experts);
  if (e.n_shared_experts == 0) return layer;
  Layer shared =
      shared_swiglu(m.hidden_size, std::uint64_t{e.n_shared_experts} * e.shared_expert_intermediate_size);
  if (e.shared_expert_gate) shared += shared_expert_gate(m.hidden_size);
  return layer + from_its_input(Module::SharedExperts, std::move(shared)) + tensor_parallel_sublayer();
}

// A dense feed-forward and routed experts on the same hidden state. The layer's own norms are around both;
// the norm that the router reads has no weights.
Layer dense_beside_experts(const TextModel& m, const Experts& e) {
  const Layer dense = from_its_input(Module::Mlp, dense_feed_forward(m)) + tensor_parallel_sublayer();
  Layer own = norm_of(m);
  own.operators.back().kept.for_backward = Bytes(0);  // it keeps what the norm of the dense part keeps
  own.operators.back().kept.for_input_gradient = Bytes(0);
  own.operators.back().kept_outside = {};
  return dense + norm_of(m) + own +
         parameters(std::uint64_t{m.hidden_size} + e.n_routed_experts, Share::Tokens) +
         from_its_input(Module::Experts, mixture(m, e)) + norm_of(m) + residual(m.hidden_size);
}

Layer feed_forward_of(const TextModel& m, bool sparse) {
  if (sparse && m.experts->beside_dense) return dense_beside_experts(m, *m.experts);
  return sparse ? from_its_input(Module::Experts, mixture(m, *m.experts))
                : from_its_input(Module::Mlp, dense_feed_forward(m)) + tensor_parallel_sublayer();
}

// Contract: only softmax attention has a window.
Layer decoder_layer(const TextModel& m, bool softmax, bool sparse, std::uint32_t window = 0) {
  const Layer attention =
      softmax ? softmax_attention(m, window) : attention_of(m.hybrid->linear, m.hidden_size);
  const Layer feed_forward = feed_forward_of(m, sparse);
  const Layer norm = inside(Module::Norms, norm_of(m)), after = m.output_norms ? norm_of(m) : Layer();
  return norm + behind(Module::Norms, attention) + after + residual(m.hidden_size) +
         tensor_parallel_sublayer() + norm + behind(Module::Norms, feed_forward) + after +
         residual(m.hidden_size) + (m.layer_scalars ? layer_scalar(m) : Layer());
}

Layer without_parameters(Layer layer) {
  for (Operator& op : layer.operators) op.parameters = 0;
  return layer;
}

// The product of 2h x h is split by columns and its outputs are gathered (Megatron-LM, multi-token
// prediction).
Layer prediction(const TextModel& m) {
  const std::uint64_t width = m.hidden_size;
  Layer layer = without_parameters(embedding(m.vocab_size, width)) + norm_of(m) + norm_of(m) +
                linear("prediction", 2 * width, width, Share::Columns) +
                decoder_layer(m, true, m.experts.has_value());
  layer.all_gathers += 2;  // before and after the product
  add_end_collectives(layer, 0, 1);
  return layer;
}

// All prediction modules are one layer. Megatron-LM keeps them in one stage, after the decoder layers and not
// after the head (megatron/core/transformer/pipeline_parallel_layer_layout.py, validate_layer_layout), so no
// split may part them.
Layer prediction_layer(const TextModel& m) {
  Layer all;
  for (std::uint32_t i = 0; i < m.num_nextn_predict_layers; ++i) all += prediction(m);
  return all;
}

// Each prediction has its own logits and loss, computed with the model's in the head's layer and with the
// head's weights (Megatron-LM, megatron/core/models/gpt/gpt_model.py: in post-processing).
void add_prediction_heads(const TextModel& m, Layer& last) {
  for (std::uint32_t i = 0; i < m.num_nextn_predict_layers; ++i) {
    last += head(m.hidden_size, m.vocab_size, norm_of(m), true);
    add_end_collectives(last, 1, 0);
  }
}

std::vector<Violation> check(const GroupedQueryAttention& a) {
  std::vector<Violation> violations = check_sizes({{"num_attention_heads", a.num_attention_heads},
                                                   {"num_key_value_heads", a.num_key_value_heads},
                                                   {"head_dim", a.head_dim}});
  require_divides(violations, "num_key_value_heads", a.num_key_value_heads, a.num_attention_heads);
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
    append(violations, check_sizes({{"q_lora_rank", a.q_lora_rank},
                                    {"index_n_heads", a.indexer->index_n_heads},
                                    {"index_head_dim", a.indexer->index_head_dim},
                                    {"index_topk", a.indexer->index_topk}}));
  }
  return violations;
}

std::vector<Violation> check(const HybridAttention& h) {
  const GatedDeltaNet& n = h.linear;
  std::vector<Violation> violations =
      check_sizes({{"full_attention_interval", h.full_attention_interval, kMostLayers},
                   {"linear_conv_kernel_dim", n.linear_conv_kernel_dim},
                   {"linear_key_head_dim", n.linear_key_head_dim},
                   {"linear_value_head_dim", n.linear_value_head_dim},
                   {"linear_num_key_heads", n.linear_num_key_heads},
                   {"linear_num_value_heads", n.linear_num_value_heads}});
  require_divides(violations, "linear_num_key_heads", n.linear_num_key_heads, n.linear_num_value_heads);
  return violations;
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
  return violations;
}

bool all_sparse(const TextModel& m) {
  return m.experts && m.experts->first_k_dense_replace == 0 && m.experts->dense_at_end == 0 &&
         m.experts->decoder_sparse_step == 1;
}

}  // namespace

bool is_sparse(const TextModel& m, std::uint32_t layer) {
  return m.experts && layer >= m.experts->first_k_dense_replace &&
         layer + m.experts->dense_at_end < m.num_hidden_layers &&
         (layer + 1) % m.experts->decoder_sparse_step == 0;
}

std::vector<Layer> layers_of(const TextModel& m) {
  std::vector<Layer> layers;
  for (std::uint32_t i = 0; i < m.num_hidden_layers; ++i)
    layers.push_back(decoder_layer(m, has_full_attention(m, i), is_sparse(m, i), sliding_window_of(m, i)));
  if (m.num_nextn_predict_layers > 0) layers.push_back(prediction_layer(m));
  if (m.separate_vocabulary) {
    layers.emplace(layers.begin());
    layers.emplace_back();
  }
  add_vocabulary(layers, m.hidden_size, m.vocab_size, norm_of(m), m.tie_word_embeddings);
  if (m.learned_positions > 0) layers.front() += position_rows(m.learned_positions, m.hidden_size);
  add_prediction_heads(m, layers.back());
  return layers;
}

std::vector<Violation> check_architecture(const TextModel& m) {
  std::vector<Violation> violations = check_sizes({{"vocab_size", m.vocab_size},
                                                   {"hidden_size", m.hidden_size},
                                                   {"num_hidden_layers", m.num_hidden_layers, kMostLayers}});
  if (!all_sparse(m) || m.experts->beside_dense)
    append(violations, check_sizes({{"intermediate_size", m.intermediate_size}}));
  append(violations, std::visit([](const auto& a) { return check(a); }, m.attention));
  if (m.global_attention) append(violations, check(*m.global_attention));
  if (m.hybrid) append(violations, check(*m.hybrid));
  if (!m.windowed.empty()) append(violations, check_sizes({{"sliding_window", m.sliding_window}}));
  if (m.experts) append(violations, check(*m.experts, m.num_hidden_layers));
  require_at_most(violations, "learned_positions", m.learned_positions, kMostSize);
  require_at_most(violations, "num_nextn_predict_layers", m.num_nextn_predict_layers, kMostLayers);
  return violations;
}

}  // namespace spillway
