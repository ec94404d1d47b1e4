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

}  // namespace spillway
