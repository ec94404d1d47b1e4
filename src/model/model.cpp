#include "model/model.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {

Role role_from_name(const std::string& block_name) {
  if (block_name.starts_with("enc")) return Role::Encoder;
  if (block_name.starts_with("gen")) return Role::Generator;
  return Role::Backbone;
}

Model::Model(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  ensure(!blocks_.empty(), "a model has at least one block");
  std::uint32_t first = 0;
  for (const Block& block : blocks_) {
    ensure(block.layers > 0, "a block has at least one layer");
    ranges_.push_back({first, first + block.layers});
    first += block.layers;
  }
}

bool Model::trainable(LayerRange layers) const {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].trainable && part_of(block, layers).size() > 0) return true;
  }
  return false;
}

LayerRange Model::part_of(std::size_t block, LayerRange layers) const {
  const std::uint32_t first = std::max(ranges_[block].first, layers.first);
  const std::uint32_t end = std::min(ranges_[block].end, layers.end);
  return first < end ? LayerRange{first, end} : LayerRange{first, first};
}

std::size_t fed_block(const Model& model, std::size_t block) {
  while (block < model.blocks().size() && model.blocks()[block].beside_next) ++block;
  return block + 1;
}

bool passes_gradient(const Model& model, std::size_t block) {
  for (std::size_t before = 0; before <= block; ++before)
    if (model.blocks()[before].trainable && (before == block || fed_block(model, before) <= block))
      return true;
  return false;
}

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
