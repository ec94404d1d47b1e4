#include "model/leading_encoder.h"

namespace spillway {

std::uint32_t leading_encoder_layers(const Model& model) {
  std::uint32_t layers = 0;
  for (std::size_t block = 0; block < model.blocks().size(); ++block) {
    if (model.blocks()[block].role != Role::Encoder) break;
    layers = model.layers_of(block).end;
  }
  return layers;
}

std::vector<std::uint32_t> module_layers(const Model& model) {
  const std::uint32_t encoder = leading_encoder_layers(model);
  std::uint32_t generator = 0;
  for (std::size_t block = model.blocks().size(); block-- > 0;) {
    if (model.blocks()[block].role != Role::Generator) break;
    generator += model.layers_of(block).size();
  }
  std::vector<std::uint32_t> modules = {encoder, model.layer_count() - encoder - generator, generator};
  std::erase(modules, 0U);
  return modules;
}

}  // namespace spillway
