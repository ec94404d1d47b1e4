// The parts of a step's length, from timed events. Private to src/compare.
#pragma once

#include <vector>

#include "compare/side.h"
#include "timing/attribution.h"
#include "validate/components.h"

namespace spillway {

// Returns the mean parts of several draws. Contract: there is at least one draw.
Parts critical_path_parts(const std::vector<CriticalPathShares>& draws);

// The span of a lane and the components of its ranks. passes_parts() returns the mean over ranks and lanes.
struct LaneParts {
  Seconds span;
  std::vector<Components> ranks;
};
Parts passes_parts(const std::vector<LaneParts>& lanes);
// Returns the mean over every lane of a timeline.
Parts passes_parts(const SideEvents& events);

// Returns the time of each rank for each activity, sorted by rank and then in the order of activity.h, mean
// over lanes.
std::vector<RankTime> times_by_rank(const SideEvents& events);

// Returns the names of the parts of a critical path. A report has them as keys with the suffix "_s".
std::vector<std::string> critical_path_names();

// Returns the parts of Decomposition::Ranks.
Parts rank_parts(Seconds computing, Seconds communication, Seconds waiting);

}  // namespace spillway
