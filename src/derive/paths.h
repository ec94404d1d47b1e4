// The path of each microbatch through the stages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// The stages of a path in layer order. A Sharded region gives its stages; if it has several copies, they take
// microbatches in turn. A Replicated region gives the stages of the microbatch's owner.
class Paths {
 public:
  Paths(const std::vector<Stage>& stages, const std::vector<RegionPlacement>& placement,
        std::uint32_t microbatches);

  std::span<const StageId> of(std::size_t region, std::uint32_t microbatch) const {
    const Region& paths = regions_[region];
    return paths.choices[paths.choice[microbatch]];
  }
  // The stages that the backward passes; they differ if a rank other than the owner runs it.
  std::span<const StageId> back(std::size_t region, std::uint32_t microbatch) const {
    const Region& paths = regions_[region];
    return paths.choices[paths.choice_back[microbatch]];
  }
  // The number of stages that a microbatch passes in the region, equal for all microbatches.
  std::uint32_t length(std::size_t region) const {
    return static_cast<std::uint32_t>(regions_[region].choices.front().size());
  }
  // The copies of the `index`-th stage of a path: the stages that hold the same layers.
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
