// Placement: the layers of each region on each rank. Private to src/derive.
#pragma once

#include <cstddef>
#include <vector>

#include "derive/derive.h"
#include "schedule/skeleton.h"

namespace spillway {

// Positions of the Sharded regions, input first.
std::vector<std::size_t> sharded_regions(const Schedule& schedule);

// Returns true if the ranks' sequences follow from the skeletons alone: there is one run of pipelined
// regions, and only transposed inputs before it.
bool formula_suffices(const Schedule& schedule);

// Maps a run's chunk to a region and its chunk. Interleaved runs have one region per chunk; other runs have
// one region with all chunks.
struct RunChunk {
  std::size_t region;
  std::uint32_t chunk;
};
RunChunk chunk_of_run(const ShardedRun& run, std::uint32_t chunk);

std::vector<Stage> place_stages(const std::vector<Region>& regions, const Schedule& schedule,
                                const DeriveOptions& options);

RunShape run_shape(const ShardedRun& run, const DeriveOptions& options);

// As above, with the expectations of the run's stages, input first.
RunShape run_shape(const ShardedRun& run, const std::vector<Stage>& stages, const DeriveOptions& options);

// The owner map of each Replicated region, in region order: the given one, or else round-robin. A region that
// runs InPlace is owned by the ranks at which the region before it ends.
std::vector<OwnerMap> owner_maps(const Schedule& schedule, const std::vector<Stage>& stages,
                                 const DeriveOptions& options);

std::vector<RegionPlacement> place_regions(const Schedule& schedule, const std::vector<Stage>& stages,
                                           const std::vector<OwnerMap>& owners, const DeriveOptions& options);

}  // namespace spillway
