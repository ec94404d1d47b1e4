#include "cost/layers/text_model.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

Layer norm_of(const TextModel& m) {
  return norm_of(m.norm, m.hidden_size);
}

Layer layer_scalar(const TextModel& m) {
  return nonlinear("layer scale", m.hidden_size, m.hidden_size, Share::Tokens) + parameters(1, Share::Tokens);
}

Layer mixer_of(const TextModel& m, const TokenMixer& mixer) {
  return std::visit(
      [&](const auto& a) {
        if constexpr (requires { attention_of(a, m.hidden_size, m.fused_attention); })
          return attention_of(a, m.hidden_size, m.fused_attention);
        else
          return attention_of(a, m.hidden_size);
      },
      mixer);
}

Layer windowed(const TextModel& m, std::uint32_t window, Layer layer) {
  for (Operator& op : layer.operators)
    if (op.kind == OperatorKind::Attention && window > 0) {
      op.window = window;
      op.blocks = m.window_blocks;
    }
  return layer;
}

// Mixers side by side read one input; a sum joins the output of each further one.
Layer mixers_of(const TextModel& m, const LayerForm& form) {
  Layer all;
  for (const TokenMixer& mixer : form.mixers) {
    Layer one = windowed(m, form.sliding_window, mixer_of(m, mixer));
    all += all.operators.empty() ? one : beside(std::move(one), m.hidden_size) + residual(m.hidden_size);
  }
  return all;
}

Layer dense_feed_forward(const TextModel& m, std::uint64_t inner) {
  switch (m.feed_forward) {
    case FeedForward::SwiGlu:
      return swiglu(m.hidden_size, inner);
    case FeedForward::SwiGluWithBiases:
      return gated_mlp(m.hidden_size, inner);
    case FeedForward::Gelu:
      return mlp(m.hidden_size, inner);
    case FeedForward::Plain:
      return plain_mlp(m.hidden_size, inner);
  }
  throw ContractBreach("unknown feed-forward");
}

// The sigmoid of a product to one number, multiplied by the shared expert's output.
Layer shared_expert_gate(std::uint64_t width) {
  return on_shared_input(linear("shared gate", width, 1, Share::Tokens), width) +
         nonlinear("shared gating", width + 1, width, Share::Tokens);
}

// Tensor parallelism splits shared experts, so they gather and scatter; routed experts exchange tokens.
Layer mixture(const TextModel& m, const Experts& e) {
  Layer layer =
      routed_experts(m.hidden_size, e.moe_intermediate_size, e.n_routed_experts, e.num_experts_per_tok,
                     {.gated = e.gated, .latent = e.moe_latent_size, .zero_experts = e.zero_experts});
  layer.routing.groups = e.n_group;
  layer.routing.chosen_groups = e.topk_group;
  if (e.routing_bias || e.biases) layer += parameters(e.n_routed_experts + e.zero_experts, Share::Tokens);
  if (e.router_scales) layer += parameters(m.hidden_size, Share::Tokens);
  if (e.biases)
    layer += parameters(e.n_routed_experts * (2 * std::uint64_t{e.moe_intermediate_size} + m.hidden_size),
                        Share::Experts);
  if (e.n_shared_experts == 0) return layer;
  const std::uint64_t inner = std::uint64_t{e.n_shared_experts} * e.shared_expert_intermediate_size;
  Layer shared = e.gated ? shared_swiglu(m.hidden_size, inner) : shared_plain_mlp(m.hidden_size, inner);
  if (e.shared_expert_gate) shared += shared_expert_gate(m.hidden_size);
  return layer + from_its_input(Module::SharedExperts, std::move(shared)) + tensor_parallel_sublayer();
}

Layer dense_of(const TextModel& m, const LayerForm& form) {
  return from_its_input(Module::Mlp, dense_feed_forward(m, form.intermediate_size)) +
         tensor_parallel_sublayer();
}

// The dense one reads what the experts read. With norms of their own, each has one before and one after.
Layer both_of(const TextModel& m, const LayerForm& form) {
  const Layer experts = from_its_input(Module::Experts, mixture(m, *m.experts));
  const Layer sum = residual(m.hidden_size);
  if (m.experts_norms) return dense_of(m, form) + norm_of(m) + norm_of(m) + experts + norm_of(m) + sum;
  return experts + beside(dense_of(m, form), m.hidden_size) + sum;
}

Layer feed_forward_of(const TextModel& m, const LayerForm& form) {
  switch (form.feed_forward) {
    case AfterMixers::Nothing:
      return {};
    case AfterMixers::Dense:
      return dense_of(m, form);
    case AfterMixers::Sparse:
      return from_its_input(Module::Experts, mixture(m, *m.experts));
    case AfterMixers::Both:
      return both_of(m, form);
  }
  throw ContractBreach("unknown feed-forward");
}

// Returns what a sublayer adds to the hidden state: `inner`, with the norms around it.
Layer added(const TextModel& m, const Layer& inner) {
  const Layer before = m.input_norms ? inside(Module::Norms, norm_of(m)) : Layer();
  const Layer after = m.output_norms ? norm_of(m) : Layer();
  return before + (m.input_norms ? behind(Module::Norms, inner) : inner) + after + residual(m.hidden_size);
}

// Side by side, a tensor-parallel group gathers once, and scatters the sum.
Layer layer_of(const TextModel& m, const LayerForm& form) {
  const Layer mixers = mixers_of(m, form), feed_forward = feed_forward_of(m, form);
  if (m.parallel) {
    const Layer second = m.second_norm ? norm_of(m) + feed_forward : beside(feed_forward, m.hidden_size);
    return added(m, mixers + second) + residual(m.hidden_size);
  }
  Layer layer;
  if (!mixers.operators.empty()) layer += added(m, mixers) + tensor_parallel_sublayer();
  if (!feed_forward.operators.empty()) layer += added(m, feed_forward);
  return layer;
}

// The form of a model without forms.
LayerForm common_form(const TextModel& m, std::uint32_t window, bool sparse) {
  const auto mixer = std::visit([](const auto& a) -> TokenMixer { return a; }, m.attention);
  return {{mixer}, window, sparse ? AfterMixers::Sparse : AfterMixers::Dense, m.intermediate_size};
}

std::uint32_t sliding_window_of(const TextModel& m, std::uint32_t layer) {
  return !m.windowed.empty() && m.windowed[layer % m.windowed.size()] ? m.sliding_window : 0;
}

bool has_experts(const LayerForm& form) {
  return form.feed_forward == AfterMixers::Sparse || form.feed_forward == AfterMixers::Both;
}

Layer decoder_layer(const TextModel& m, std::uint32_t index) {
  Layer layer;
  for (const LayerForm& form : forms_of(m, index)) layer += layer_of(m, form);
  if (m.layer_scalars) layer += layer_scalar(m);
  return layer;
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
                layer_of(m, common_form(m, 0, m.experts.has_value()));
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

}  // namespace

std::vector<LayerForm> forms_of(const TextModel& m, std::uint32_t layer) {
  if (m.forms.empty()) {
    const Experts* e = m.experts ? &*m.experts : nullptr;
    const bool sparse = e && layer >= e->first_k_dense_replace &&
                        layer + e->dense_at_end < m.num_hidden_layers &&
                        (layer + 1) % e->decoder_sparse_step == 0;
    return {common_form(m, sliding_window_of(m, layer), sparse)};
  }
  std::vector<LayerForm> forms;
  for (std::size_t i = 0; i < m.forms_per_layer; ++i)
    forms.push_back(m.forms[m.order[(std::size_t{layer} * m.forms_per_layer + i) % m.order.size()]]);
  return forms;
}

bool is_sparse(const TextModel& m, std::uint32_t layer) {
  return std::ranges::any_of(forms_of(m, layer), has_experts);
}

std::vector<Layer> layers_of(const TextModel& m) {
  std::vector<Layer> layers;
  for (std::uint32_t i = 0; i < m.num_hidden_layers; ++i) layers.push_back(decoder_layer(m, i));
  if (m.num_nextn_predict_layers > 0) layers.push_back(prediction_layer(m));
  if (m.separate_vocabulary) {
    layers.emplace(layers.begin());
    layers.emplace_back();
  }
  add_vocabulary(layers, m.hidden_size, m.vocab_size, norm_of(m), m.tie_word_embeddings);
  if (m.head_bias) layers.back() += at_end(parameters(m.vocab_size, Share::Inner));
  if (m.learned_positions > 0) layers.front() += position_rows(m.learned_positions, m.hidden_size);
  add_prediction_heads(m, layers.back());
  return layers;
}

}  // namespace spillway
