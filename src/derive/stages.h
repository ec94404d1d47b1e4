// Placement: which rank holds which layers of which region. Private to src/derive.
#pragma once

#include <cstddef>
#include <vector>

#include "derive/derive.h"
#include "schedule/skeleton.h"

namespace spillway {

// Positions of the Sharded regions, input first.
std::vector<std::size_t> sharded_regions(const Schedule& schedule);

RunShape run_shape(const ShardedRun& run, const DeriveOptions& options);

// stage = rank + region * P.
inline StageId stage_of(std::size_t region, std::uint32_t rank, std::uint32_t ranks) {
  return StageId(static_cast<std::uint32_t>(region) * ranks + rank);
}

std::vector<Stage> place_stages(const std::vector<Region>& regions, const Schedule& schedule,
                                const DeriveOptions& options);

// The owner map of each Replicated region in region order: the given one, else round-robin.
std::vector<OwnerMap> owner_maps(const Schedule& schedule, const DeriveOptions& options);

std::vector<RegionPlacement> place_regions(const Schedule& schedule, const std::vector<Stage>& stages,
                                           const std::vector<OwnerMap>& owners, const Pipeline& pipeline);

}  // namespace spillway
