#include "draws/layer_kinds.h"

#include <algorithm>

#include "cost/layers/architecture.h"

namespace spillway {

std::vector<std::uint32_t> kinds_of(const BlockCosts& block) {
  const std::vector<Layer> layers = layer_stack(block.architecture).layers;
  // If the fixed time belongs to the first layer, that layer is a kind of its own.
  const bool first = block.fixed_in == FixedIn::FirstLayer && block.fixed_per_microbatch > Seconds();
  const std::uint32_t fixed = first ? 1 : 0;
  std::vector<std::uint32_t> kinds;
  for (std::uint32_t layer = 0; layer < layers.size(); ++layer) {
    const auto like = std::find(layers.begin() + std::min(layer, fixed), layers.end(), layers[layer]);
    kinds.push_back(static_cast<std::uint32_t>(like - layers.begin()));
  }
  return kinds;
}

LayerKinds layer_kinds(const std::vector<std::uint32_t>& first_alike) {
  LayerKinds kinds{first_alike, {}};
  std::ranges::sort(kinds.firsts);
  kinds.firsts.erase(std::ranges::unique(kinds.firsts).begin(), kinds.firsts.end());
  for (const std::uint32_t first : first_alike)
    kinds.of.push_back(
        static_cast<std::uint32_t>(std::ranges::find(kinds.firsts, first) - kinds.firsts.begin()));
  return kinds;
}

LayerKinds layer_kinds(const Model& model, const AnalyticCosts& costs) {
  std::vector<std::uint32_t> first_alike;
  for (std::size_t block = 0; block < model.blocks().size(); ++block)
    for (const std::uint32_t kind : kinds_of(costs.blocks[block]))
      first_alike.push_back(model.layers_of(block).first + kind);
  return layer_kinds(first_alike);
}

std::vector<Stage> stages_apart(const LayerKinds& kinds) {
  std::vector<Stage> stages;
  for (const std::uint32_t layer : kinds.firsts)
    stages.push_back({RegionId(0), RankId(0), layer, {layer, layer + 1}});
  return stages;
}

}  // namespace spillway
