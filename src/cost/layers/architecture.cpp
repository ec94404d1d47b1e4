#include "cost/layers/architecture.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "cost/layers/conventions.h"

namespace spillway {
namespace {

constexpr Bytes kTokenId(8);

bool any_sparse(const TextModel& model) {
  for (std::uint32_t i = 0; i < model.num_hidden_layers; ++i)
    if (is_sparse(model, i)) return true;
  return false;
}

std::uint32_t routed_experts_of(const TextModel& model) {
  return any_sparse(model) ? model.experts->n_routed_experts : 0;
}

// The heads of a mixer, and those of its keys and values. Latent attention expands keys and values for every
// head.
struct Heads {
  std::uint32_t all, key_value;
};
Heads heads_of(const GroupedQueryAttention& a) {
  return {a.num_attention_heads, a.num_key_value_heads};
}
Heads heads_of(const LatentAttention& a) {
  return {a.num_attention_heads, a.num_attention_heads};
}
Heads heads_of(const GatedDeltaNet& a) {
  return {a.linear_num_value_heads, a.linear_num_key_heads};
}
Heads heads_of(const KimiDeltaAttention& a) {
  return {a.num_heads, a.num_heads};
}
Heads heads_of(const Mamba2& a) {
  return {a.mamba_num_heads, a.n_groups};
}
Heads heads_of(const LightningAttention& a) {
  return {a.num_attention_heads, a.num_attention_heads};
}
// A convolution has channels, which any group can share.
Heads heads_of(const ShortConvolution&) {
  return {0, 0};
}

// Returns the largest numbers that divide the heads of every mixer.
Heads heads_of(const TextModel& model) {
  const auto heads = [](const auto& a) { return heads_of(a); };
  Heads common = std::visit(heads, model.attention);
  for (const LayerForm& form : model.forms)
    for (const TokenMixer& mixer : form.mixers) {
      const Heads one = std::visit(heads, mixer);
      common = {std::gcd(common.all, one.all), std::gcd(common.key_value, one.key_value)};
    }
  return common;
}

// The features of a tap pass through the rest of the tower, merged as the tower's output is.
std::vector<double> carried_in(const VisionTower& tower) {
  const double merged = tower.spatial_merge_size * tower.spatial_merge_size;
  std::vector<double> carried(tower.depth);
  for (const std::uint32_t tap : tower.deepstack_visual_indexes)
    for (std::uint32_t layer = tap; layer < tower.depth; ++layer)
      carried[layer] += tower.out_hidden_size / merged;
  return carried;
}

// After the prediction layer, the model's own hidden state passes beside the predicted ones (Megatron-LM pull
// request 5318: one tensor of 1 + mtp_num_layers chunks).
std::vector<double> carried_in(const TextModel& model, std::size_t layers) {
  std::vector<double> carried(layers);
  if (model.num_nextn_predict_layers > 0 && model.separate_vocabulary)
    carried[layers - 2] = static_cast<double>(model.num_nextn_predict_layers) * model.hidden_size;
  return carried;
}

LayerStack stack_of(const VisionTower& tower) {
  return {LoadUnit::Patch,
          layers_of(tower),
          tower.hidden_size,
          tower.out_hidden_size,
          0,
          tower.num_heads,
          tower.num_heads,
          static_cast<std::uint32_t>(tower.deepstack_visual_indexes.size()),
          carried_in(tower),
          0,
          kElement * static_cast<double>(
                         patch_elements(tower.in_channels, tower.temporal_patch_size, tower.patch_size))};
}

LayerStack stack_of(const AudioTower& tower) {
  LayerStack stack{LoadUnit::Patch,
                   layers_of(tower),
                   tower.d_model,
                   tower.output_dim,
                   0,
                   tower.encoder_attention_heads,
                   tower.encoder_attention_heads};
  stack.input = kElement * (frames_per_position(tower) * tower.num_mel_bins);
  stack.modality = Modality::Audio;
  return stack;
}

LayerStack stack_of(const TextModel& model) {
  LayerStack stack{LoadUnit::Token,          layers_of(model),    model.hidden_size,        model.hidden_size,
                   routed_experts_of(model), heads_of(model).all, heads_of(model).key_value};
  stack.carried = carried_in(model, stack.layers.size());
  stack.before_decoder = model.separate_vocabulary ? 1 : 0;
  stack.input = kTokenId;
  return stack;
}

// Its output goes directly into the loss.
LayerStack stack_of(const DiffusionTransformer& model) {
  return {LoadUnit::Patch,           layers_of(model),         model.width(), model.width(), 0,
          model.num_attention_heads, model.num_attention_heads};
}

}  // namespace

LayerStack layer_stack(const Architecture& architecture) {
  return std::visit([](const auto& sizes) { return stack_of(sizes); }, architecture);
}

std::uint32_t layer_count(const Architecture& architecture) {
  return static_cast<std::uint32_t>(layer_stack(architecture).layers.size());
}

std::uint32_t routed_experts(const Architecture& architecture) {
  const auto* model = std::get_if<TextModel>(&architecture);
  return model ? routed_experts_of(*model) : 0;
}

std::uint64_t active_parameters(const Operator& op) {
  if (op.kind != OperatorKind::GroupedGemm) return op.parameters;
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(op.parameters) / op.groups * op.rows_per_token));
}

std::uint64_t active_parameters(const LayerStack& stack) {
  std::uint64_t sum = 0;
  for (const Layer& layer : stack.layers)
    for (const Operator& op : layer.operators) sum += active_parameters(op);
  return sum;
}

std::vector<Violation> check_architecture(const Architecture& architecture) {
  return std::visit([](const auto& sizes) { return check_architecture(sizes); }, architecture);
}

}  // namespace spillway
