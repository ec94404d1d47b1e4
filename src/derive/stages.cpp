#include "derive/stages.h"

#include <algorithm>

namespace spillway {
namespace {

// Layers of stage `rank` of a Sharded region: as even as they can be, the remainder to the earlier stages.
std::uint32_t even_share(std::uint32_t layers, std::uint32_t ranks, std::uint32_t rank) {
  return layers / ranks + (rank < layers % ranks ? 1 : 0);
}

void place_sharded(std::vector<Stage>& stages, const Region& region, std::size_t position,
                   std::size_t nth_sharded, const DeriveOptions& options) {
  const std::uint32_t p = options.pipeline.ranks;
  std::uint32_t first = region.layers.first;
  for (std::uint32_t rank = 0; rank < p; ++rank) {
    const std::uint32_t layers = options.layers_per_rank.empty()
                                     ? even_share(region.layers.size(), p, rank)
                                     : options.layers_per_rank[nth_sharded * p + rank];
    stages.push_back(
        {RegionId(static_cast<std::uint32_t>(position)), RankId(rank), rank, {first, first + layers}});
    first += layers;
  }
}

bool names_ranks(const OwnerMap& owner, const Pipeline& pipeline) {
  return owner.size() == pipeline.microbatches &&
         std::all_of(owner.begin(), owner.end(), [&](RankId rank) { return rank.index() < pipeline.ranks; });
}

}  // namespace

std::vector<std::size_t> sharded_regions(const Schedule& schedule) {
  std::vector<std::size_t> sharded;
  for (std::size_t region = 0; region < schedule.skeletons.size(); ++region) {
    if (layout_of(schedule.skeletons[region]) == Layout::Sharded) sharded.push_back(region);
  }
  return sharded;
}

RunShape run_shape(const ShardedRun& run, const DeriveOptions& options) {
  const std::uint32_t p = options.pipeline.ranks;
  return {p, options.pipeline.microbatches, static_cast<std::uint32_t>(run.end - run.first),
          options.microbatch_group == 0 ? default_group(p) : options.microbatch_group};
}

std::vector<Stage> place_stages(const std::vector<Region>& regions, const Schedule& schedule,
                                const DeriveOptions& options) {
  std::vector<Stage> stages;
  std::size_t nth_sharded = 0;
  for (std::size_t region = 0; region < regions.size(); ++region) {
    if (layout_of(schedule.skeletons[region]) == Layout::Sharded) {
      place_sharded(stages, regions[region], region, nth_sharded++, options);
      continue;
    }
    for (std::uint32_t rank = 0; rank < options.pipeline.ranks; ++rank) {
      stages.push_back(
          {RegionId(static_cast<std::uint32_t>(region)), RankId(rank), 0, regions[region].layers});
    }
  }
  return stages;
}

std::vector<OwnerMap> owner_maps(const Schedule& schedule, const DeriveOptions& options) {
  std::vector<OwnerMap> owners;
  for (Skeleton skeleton : schedule.skeletons) {
    if (layout_of(skeleton) == Layout::Sharded) continue;
    if (owners.size() < options.owners.size()) {
      owners.push_back(options.owners[owners.size()]);
      ensure(names_ranks(owners.back(), options.pipeline), "an owner map names a rank per microbatch");
      continue;
    }
    OwnerMap owner;
    for (std::uint32_t m = 0; m < options.pipeline.microbatches; ++m) {
      owner.push_back(RankId(m % options.pipeline.ranks));
    }
    owners.push_back(std::move(owner));
  }
  return owners;
}

std::vector<RegionPlacement> place_regions(const Schedule& schedule, const std::vector<Stage>& stages,
                                           const std::vector<OwnerMap>& owners, const Pipeline& pipeline) {
  std::vector<RegionPlacement> placement;
  std::size_t nth_replicated = 0;
  for (std::size_t region = 0; region < schedule.skeletons.size(); ++region) {
    const Layout layout = layout_of(schedule.skeletons[region]);
    if (layout == Layout::Replicated) {
      placement.push_back({layout, ByMicrobatch{owners[nth_replicated++]}});
      continue;
    }
    ByLayer owner;
    for (std::uint32_t rank = 0; rank < pipeline.ranks; ++rank) {
      owner.stages.push_back(stage_of(region, rank, pipeline.ranks));
    }
    placement.push_back({layout, std::move(owner)});
  }
  ensure(stages.size() == schedule.skeletons.size() * pipeline.ranks,
         "every region has a stage on every rank");
  return placement;
}

}  // namespace spillway
