#include "derive/paths.h"

#include <algorithm>

namespace spillway {
namespace {

// By rank, chunk by chunk.
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

// One path, or two where every stage has a copy: `in_order` lists copies one after the other, chunk 0 first.
std::vector<std::vector<StageId>> sharded_paths(const std::vector<StageId>& in_order, bool both_ways) {
  if (!both_ways) return {in_order};
  std::vector<std::vector<StageId>> paths(2);
  for (std::size_t i = 0; i < in_order.size(); ++i) paths[i % 2].push_back(in_order[i]);
  return paths;
}

}  // namespace

Paths::Paths(const Schedule& schedule, const std::vector<Stage>& stages,
             const std::vector<RegionPlacement>& placement, std::uint32_t microbatches) {
  for (std::uint32_t region = 0; region < placement.size(); ++region) {
    Region paths;
    paths.on_rank = stages_by_rank(stages, RegionId(region));
    if (const auto* owned = std::get_if<ByMicrobatch>(&placement[region].owner)) {
      for (const auto& own : paths.on_rank) paths.choices.push_back(own);
      for (RankId rank : owned->owner) paths.choice.push_back(rank.index());
    } else {
      const bool both_ways = fold_of(schedule.skeletons[region]) == Fold::Bidirectional;
      paths.choices = sharded_paths(std::get<ByLayer>(placement[region].owner).stages, both_ways);
      for (std::uint32_t m = 0; m < microbatches; ++m) paths.choice.push_back(both_ways ? m % 2 : 0);
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
