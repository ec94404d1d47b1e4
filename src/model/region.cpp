#include "model/region.h"

#include "base/text.h"

namespace spillway {
namespace {

std::vector<std::uint32_t> with_ends(const Cut& cut, const Model& model) {
  std::vector<std::uint32_t> ends{0};
  ends.insert(ends.end(), cut.boundaries.begin(), cut.boundaries.end());
  ends.push_back(model.layer_count());
  return ends;
}

Cut between_blocks(const Model& model, bool towers_together) {
  Cut cut;
  for (std::size_t block = 1; block < model.blocks().size(); ++block)
    if (!towers_together || !model.blocks()[block - 1].beside_next)
      cut.boundaries.push_back(model.layers_of(block).first);
  return cut;
}

// The number of regions that each block is cut over.
std::vector<std::size_t> pieces_per_block(const Model& model, const std::vector<std::uint32_t>& ends) {
  std::vector<std::size_t> pieces(model.blocks().size(), 0);
  for (std::size_t block = 0; block < pieces.size(); ++block) {
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      if (model.part_of(block, {ends[i], ends[i + 1]}).size() > 0) ++pieces[block];
    }
  }
  return pieces;
}

}  // namespace

std::vector<Violation> check_cut(const Cut& cut, const Model& model, std::size_t region_count) {
  std::vector<Violation> violations;
  if (cut.boundaries.size() + 1 != region_count) {
    violations.push_back(
        {"", "/cut",
         std::to_string(region_count - 1) + " interior boundaries for " + counted(region_count, "region"),
         std::to_string(cut.boundaries.size())});
  }
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < cut.boundaries.size(); ++i) {
    const std::uint32_t boundary = cut.boundaries[i];
    if (boundary <= previous || boundary >= model.layer_count()) {
      violations.push_back({"", "/cut/" + std::to_string(i),
                            "a layer boundary above " + std::to_string(previous) + " and below " +
                                std::to_string(model.layer_count()),
                            std::to_string(boundary)});
      continue;
    }
    previous = boundary;
  }
  return violations;
}

std::optional<Cut> default_cut(const Model& model, std::size_t region_count) {
  Cut cut;
  const auto& blocks = model.blocks();
  if (region_count == 1) return cut;
  for (const bool towers_together : {false, true}) {
    cut = between_blocks(model, towers_together);
    if (cut.boundaries.size() + 1 == region_count) return cut;
  }
  cut = {};
  if (blocks.size() != 1 || model.layer_count() < region_count) return std::nullopt;
  const auto layers = model.layer_count();
  const auto k = static_cast<std::uint32_t>(region_count);
  std::uint32_t boundary = 0;
  for (std::uint32_t region = 0; region + 1 < k; ++region) {
    boundary += even_share(layers, k, region);
    cut.boundaries.push_back(boundary);
  }
  return cut;
}

std::vector<Region> regions_of(const Model& model, const Cut& cut) {
  ensure(check_cut(cut, model, cut.boundaries.size() + 1).empty(), "the cut tiles the model");
  const std::vector<std::uint32_t> ends = with_ends(cut, model);
  const std::vector<std::size_t> pieces = pieces_per_block(model, ends);
  std::vector<std::size_t> seen(pieces.size(), 0);
  std::vector<Region> regions;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const LayerRange layers{ends[i], ends[i + 1]};
    std::string name;
    for (std::size_t block = 0; block < pieces.size(); ++block) {
      if (model.part_of(block, layers).size() == 0) continue;
      if (!name.empty()) name += '+';
      name += model.blocks()[block].name;
      if (pieces[block] > 1) name += '.' + std::to_string(++seen[block]);
    }
    regions.push_back({name, layers, model.trainable(layers)});
  }
  return regions;
}

std::vector<BackwardFootprint> backward_footprints(std::span<const Region> regions, std::size_t beside) {
  std::vector<BackwardFootprint> footprints;
  bool any_trainable = false;
  for (const Region& region : regions) {
    const bool before = any_trainable && footprints.size() >= beside;
    footprints.push_back({before, before || region.trainable, region.trainable});
    any_trainable = any_trainable || region.trainable;
  }
  return footprints;
}

}  // namespace spillway
