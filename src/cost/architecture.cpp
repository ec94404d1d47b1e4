#include "cost/architecture.h"

namespace spillway {
namespace {

LayerStack stack_of(const Qwen2VlVit& vit) {
  return {LoadUnit::Patch, layers_of(vit), vit.embed_dim, vit.hidden_size, 0, vit.num_heads};
}

LayerStack stack_of(const Qwen35Vision& vit) {
  return {LoadUnit::Patch, layers_of(vit), vit.hidden_size, vit.out_hidden_size, 0, vit.num_heads};
}

LayerStack stack_of(const DeepSeekV3& model) {
  const bool sparse = model.first_k_dense_replace < model.num_hidden_layers;
  return {LoadUnit::Token,
          layers_of(model),
          model.hidden_size,
          model.hidden_size,
          sparse ? model.n_routed_experts : 0,
          model.num_attention_heads};
}

LayerStack stack_of(const Qwen35Text& model) {
  return {LoadUnit::Token,          layers_of(model), model.hidden_size, model.hidden_size, 0,
          model.num_attention_heads};
}

}  // namespace

LayerStack layer_stack(const Architecture& architecture) {
  return std::visit([](const auto& sizes) { return stack_of(sizes); }, architecture);
}

std::uint32_t layer_count(const Architecture& architecture) {
  return static_cast<std::uint32_t>(layer_stack(architecture).layers.size());
}

std::vector<Violation> check_architecture(const Architecture& architecture) {
  return std::visit([](const auto& sizes) { return check_architecture(sizes); }, architecture);
}

}  // namespace spillway
