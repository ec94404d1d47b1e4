// The way of each microbatch through the stages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// Stages in layer order: a Sharded region's stages, of several copies the one that takes the microbatch, each
// in turn; of a Replicated region those of the microbatch's owner.
class Paths {
 public:
  Paths(const std::vector<Stage>& stages, const std::vector<RegionPlacement>& placement,
        std::uint32_t microbatches);

  std::span<const StageId> of(std::size_t region, std::uint32_t microbatch) const {
    const Region& paths = regions_[region];
    return paths.choices[paths.choice[microbatch]];
  }
  // The same, of the stages that its backward passes, where another rank than the owner's runs it.
  std::span<const StageId> back(std::size_t region, std::uint32_t microbatch) const {
    const Region& paths = regions_[region];
    return paths.choices[paths.choice_back[microbatch]];
  }
  // How many stages a microbatch passes in the region, the same for each.
  std::uint32_t length(std::size_t region) const {
    return static_cast<std::uint32_t>(regions_[region].choices.front().size());
  }
  // The stages that hold the same layers as the `index`-th stage of a path: its copies.
  std::vector<StageId> copies(std::size_t region, std::uint32_t index) const;
  // The stage that is chunk `chunk` of the region on `rank`.
  StageId on_rank(std::size_t region, std::uint32_t rank, std::uint32_t chunk) const {
    return regions_[region].on_rank[rank][chunk];
  }

 private:
  struct Region {
    std::vector<std::vector<StageId>> choices;
    std::vector<std::uint32_t> choice, choice_back;  // by microbatch
    std::vector<std::vector<StageId>> on_rank;
  };

  std::vector<Region> regions_;
};

}  // namespace spillway
