#include "derive/paths.h"

#include <algorithm>

namespace spillway {
namespace {

// The stages by rank, chunk by chunk.
std::vector<std::vector<StageId>> stages_by_rank(const std::vector<Stage>& stages, RegionId region) {
  std::vector<std::vector<StageId>> by_rank;
  for (std::uint32_t id = 0; id < stages.size(); ++id) {
    if (stages[id].region != region) continue;
    const std::uint32_t rank = stages[id].rank.index();
    by_rank.resize(std::max<std::size_t>(by_rank.size(), rank + 1));
    by_rank[rank].push_back(StageId(id));
  }
  for (auto& own : by_rank) {
    std::sort(own.begin(), own.end(),
              [&](StageId a, StageId b) { return stages[a.index()].chunk < stages[b.index()].chunk; });
  }
  return by_rank;
}

// One path, or one for each copy: `in_order` lists the copies of a stage one after the other, the first copy
// first.
std::vector<std::vector<StageId>> sharded_paths(const std::vector<StageId>& in_order,
                                                const std::vector<Stage>& stages) {
  const auto same = [&](StageId id) {
    return stages[id.index()].index == stages[in_order.front().index()].index;
  };
  const auto copies = static_cast<std::size_t>(std::count_if(in_order.begin(), in_order.end(), same));
  std::vector<std::vector<StageId>> paths(copies);
  for (std::size_t i = 0; i < in_order.size(); ++i) paths[i % copies].push_back(in_order[i]);
  return paths;
}

}  // namespace

Paths::Paths(const std::vector<Stage>& stages, const std::vector<RegionPlacement>& placement,
             std::uint32_t microbatches) {
  for (std::uint32_t region = 0; region < placement.size(); ++region) {
    Region paths;
    paths.on_rank = stages_by_rank(stages, RegionId(region));
    if (const auto* owned = std::get_if<ByMicrobatch>(&placement[region].owner)) {
      for (const auto& own : paths.on_rank) paths.choices.push_back(own);
      for (std::uint32_t m = 0; m < microbatches; ++m) {
        paths.choice.push_back(owned->owner[m].index());
        paths.choice_back.push_back(owned->backward_of(m).index());
      }
    } else {
      paths.choices = sharded_paths(std::get<ByLayer>(placement[region].owner).stages, stages);
      const auto copies = static_cast<std::uint32_t>(paths.choices.size());
      for (std::uint32_t m = 0; m < microbatches; ++m) paths.choice.push_back(m % copies);
      paths.choice_back = paths.choice;
    }
    regions_.push_back(std::move(paths));
  }
}

std::vector<StageId> Paths::copies(std::size_t region, std::uint32_t index) const {
  std::vector<StageId> copies;
  for (const auto& path : regions_[region].choices) copies.push_back(path[index]);
  return copies;
}

}  // namespace spillway
