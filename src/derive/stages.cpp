#include "derive/stages.h"

#include <algorithm>
#include <span>
#include <utility>

#include "derive/module_runs.h"

namespace spillway {
namespace {

// The layers of each stage of one Sharded region; `given` has their numbers, or is empty.
std::vector<LayerRange> split_layers(LayerRange layers, std::uint32_t count,
                                     std::span<const std::uint32_t> given) {
  std::vector<LayerRange> parts;
  std::uint32_t first = layers.first;
  for (std::uint32_t index = 0; index < count; ++index) {
    const std::uint32_t size = given.empty() ? even_share(layers.size(), count, index) : given[index];
    parts.push_back({first, first + size});
    first += size;
  }
  return parts;
}

bool names_ranks(const OwnerMap& owner, const Pipeline& pipeline) {
  return owner.size() == pipeline.microbatches &&
         std::all_of(owner.begin(), owner.end(), [&](RankId rank) { return rank.index() < pipeline.ranks; });
}

std::vector<StageId> in_layer_order(const std::vector<Stage>& stages, RegionId region) {
  std::vector<StageId> own;
  for (std::uint32_t id = 0; id < stages.size(); ++id) {
    if (stages[id].region == region) own.push_back(StageId(id));
  }
  std::stable_sort(own.begin(), own.end(),
                   [&](StageId a, StageId b) { return stages[a.index()].index < stages[b.index()].index; });
  return own;
}

OwnerMap owners_in_turn(const Pipeline& pipeline) {
  OwnerMap owner;
  for (std::uint32_t m = 0; m < pipeline.microbatches; ++m) owner.push_back(RankId(m % pipeline.ranks));
  return owner;
}

// The rank at which each microbatch leaves a Sharded region.
OwnerMap exit_ranks(const std::vector<Stage>& stages, RegionId region, const Skeleton& skeleton,
                    const Pipeline& pipeline) {
  const std::vector<StageId> in_order = in_layer_order(stages, region);
  const std::size_t copies = fold_of(skeleton) == Fold::Bidirectional ? 2 : 1;
  OwnerMap ranks;
  for (std::uint32_t m = 0; m < pipeline.microbatches; ++m) {
    const StageId exit = in_order[in_order.size() - copies + m % copies];
    ranks.push_back(stages[exit.index()].rank);
  }
  return ranks;
}

// Assigns turns of P microbatches. The first runs on the rank at which it ends, because it need not wait; the
// last runs on the rank furthest from there.
OwnerMap from_exit_on(OwnerMap exits, std::uint32_t ranks) {
  for (std::uint32_t m = 0; m < exits.size(); ++m) {
    const std::uint32_t step = m % ranks;
    exits[m] = RankId(exits[m].index() == 0 ? step : ranks - 1 - step);
  }
  return exits;
}

}  // namespace

std::vector<std::size_t> sharded_regions(const Schedule& schedule) {
  std::vector<std::size_t> sharded;
  for (std::size_t region = 0; region < schedule.skeletons.size(); ++region) {
    if (layout_of(schedule.skeletons[region]) == Layout::Sharded) sharded.push_back(region);
  }
  return sharded;
}

bool formula_suffices(const Schedule& schedule) {
  const auto body = schedule.skeletons.begin() + static_cast<std::ptrdiff_t>(input_count(schedule));
  return std::all_of(body, schedule.skeletons.end(),
                     [](const Skeleton& one) { return layout_of(one) == Layout::Sharded; });
}

RunChunk chunk_of_run(const ShardedRun& run, std::uint32_t chunk) {
  return weaves(run.skeleton) ? RunChunk{run.first + chunk, 0} : RunChunk{run.first, chunk};
}

RunShape run_shape(const ShardedRun& run, const DeriveOptions& options) {
  const auto [p, m, replicas] = options.pipeline;
  const std::uint32_t regions = static_cast<std::uint32_t>(run.end - run.first);
  return {p, m, weaves(run.skeleton) ? regions : chunks_of(run.skeleton),
          options.microbatch_group == 0 ? default_group(p, m) : options.microbatch_group};
}

RunShape run_shape(const ShardedRun& run, const std::vector<Stage>& stages, const DeriveOptions& options) {
  RunShape shape = run_shape(run, options);
  if (options.expected.stages.empty()) return shape;
  ensure(options.expected.stages.size() == stages.size(), "expectations cover the stages");
  shape.expected.transfer = options.expected.transfer;
  const auto in_run = [&](const Stage& stage) {
    return stage.region.index() >= run.first && stage.region.index() < run.end;
  };
  shape.expected.stages.resize(static_cast<std::size_t>(std::count_if(stages.begin(), stages.end(), in_run)));
  for (std::size_t id = 0; id < stages.size(); ++id) {
    if (!in_run(stages[id])) continue;
    const std::size_t before = (stages[id].region.index() - run.first) * shape.ranks;
    shape.expected.stages[before + stages[id].index] = options.expected.stages[id];
  }
  return shape;
}

namespace {

// Places stages copy by copy, on the ranks of their module.
std::vector<Stage> place_modules(const std::vector<Region>& regions, const Schedule& schedule,
                                 const DeriveOptions& options) {
  std::span<const std::uint32_t> given = options.layers_per_rank;
  std::vector<Stage> stages;
  for (const ModuleRun& run : module_runs(schedule, regions, options)) {
    for (std::size_t region = run.run.first; region < run.run.end; ++region) {
      const auto own = given.empty() ? given : given.first(run.ranks);
      const std::vector<LayerRange> layers = split_layers(regions[region].layers, run.ranks, own);
      for (std::uint32_t stage = 0; stage < run.ranks; ++stage)
        for (std::uint32_t copy = 0; copy < run.place.copies; ++copy)
          stages.push_back({RegionId(static_cast<std::uint32_t>(region)), run.rank(RankId(stage), copy),
                            stage, layers[stage]});
      given = given.subspan(own.size());
    }
  }
  return stages;
}

}  // namespace

std::vector<Stage> place_stages(const std::vector<Region>& regions, const Schedule& schedule,
                                const DeriveOptions& options) {
  if (!options.modules.empty()) return place_modules(regions, schedule, options);
  const std::uint32_t p = options.pipeline.ranks;
  std::span<const std::uint32_t> given = options.layers_per_rank;
  std::vector<Stage> stages;
  for (std::uint32_t region = 0; region < regions.size(); ++region) {
    const Skeleton& skeleton = schedule.skeletons[region];
    if (layout_of(skeleton) == Layout::Replicated) {
      const bool by_layer = region < input_count(schedule) && options.input.by_layer;
      const std::uint32_t pieces = by_layer ? regions[region].layers.size() : 1;
      const std::vector<LayerRange> layers = split_layers(regions[region].layers, pieces, {});
      for (std::uint32_t piece = 0; piece < pieces; ++piece)
        for (std::uint32_t rank = 0; rank < p; ++rank)
          stages.push_back({RegionId(region), RankId(rank), piece, layers[piece], piece, pieces});
      continue;
    }
    const auto count = static_cast<std::uint32_t>(stage_count(skeleton, p));
    const auto own = given.empty() ? given : given.first(count);
    const std::vector<LayerRange> layers = split_layers(regions[region].layers, count, own);
    for (const StagePlace& place : stage_places(skeleton, p))
      stages.push_back(
          {RegionId(region), place.rank, place.stage, layers[place.stage], place.chunk, place.chunks});
    given = given.subspan(own.size());
  }
  return stages;
}

std::vector<OwnerMap> owner_maps(const Schedule& schedule, const std::vector<Stage>& stages,
                                 const DeriveOptions& options) {
  const std::size_t inputs = input_count(schedule);
  std::vector<OwnerMap> owners;
  for (std::uint32_t region = 0; region < schedule.skeletons.size(); ++region) {
    if (layout_of(schedule.skeletons[region]) == Layout::Sharded) continue;
    if (owners.size() < options.owners.size()) {
      owners.push_back(options.owners[owners.size()]);
      ensure(names_ranks(owners.back(), options.pipeline), "an owner map names a rank per microbatch");
    } else if (region >= inputs && options.inner == InnerOrder::InPlace) {
      owners.push_back(
          exit_ranks(stages, RegionId(region - 1), schedule.skeletons[region - 1], options.pipeline));
    } else if (region >= inputs && options.inner == InnerOrder::Turns) {
      owners.push_back(from_exit_on(
          exit_ranks(stages, RegionId(region - 1), schedule.skeletons[region - 1], options.pipeline),
          options.pipeline.ranks));
    } else {
      owners.push_back(owners_in_turn(options.pipeline));
    }
  }
  return owners;
}

std::vector<RegionPlacement> place_regions(const Schedule& schedule, const std::vector<Stage>& stages,
                                           const std::vector<OwnerMap>& owners,
                                           const DeriveOptions& options) {
  std::vector<RegionPlacement> placement;
  std::size_t nth_replicated = 0;
  for (std::size_t region = 0; region < schedule.skeletons.size(); ++region) {
    const Layout layout = layout_of(schedule.skeletons[region]);
    if (layout == Layout::Replicated) {
      const bool at_entry =
          region < input_count(schedule) && options.input.backwards == InputBackwards::AtEntry;
      const OwnerMap backward(at_entry ? options.pipeline.microbatches : 0, RankId(0));
      placement.push_back({layout, ByMicrobatch{owners[nth_replicated++], backward}});
      continue;
    }
    placement.push_back(
        {layout, ByLayer{in_layer_order(stages, RegionId(static_cast<std::uint32_t>(region)))}});
  }
  return placement;
}

}  // namespace spillway
