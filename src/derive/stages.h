// Placement: which rank holds which layers of which region. Private to src/derive.
#pragma once

#include <cstddef>
#include <vector>

#include "derive/derive.h"
#include "schedule/skeleton.h"

namespace spillway {

// Positions of the Sharded regions, input first.
std::vector<std::size_t> sharded_regions(const Schedule& schedule);

// Do the ranks' sequences follow from the skeletons alone? They do for one run of pipelined regions behind a
// transposed input or none.
bool formula_suffices(const Schedule& schedule);

// A region's chunk of a run's chunk: woven runs have one region per chunk, others one region of all chunks.
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

// The owner map of each Replicated region in region order: the given one, else round-robin, or of a region
// that runs InPlace the ranks at which the region before it ends.
std::vector<OwnerMap> owner_maps(const Schedule& schedule, const std::vector<Stage>& stages,
                                 const DeriveOptions& options);

std::vector<RegionPlacement> place_regions(const Schedule& schedule, const std::vector<Stage>& stages,
                                           const std::vector<OwnerMap>& owners, const DeriveOptions& options);

}  // namespace spillway
