// What a step's length is made of, from what was timed. Private to src/compare.
#pragma once

#include <vector>

#include "compare/side.h"
#include "timing/attribution.h"
#include "validate/components.h"

namespace spillway {

// The mean of several draws. Contract: at least one.
Parts critical_path_parts(const std::vector<CriticalPathShares>& draws);

// The mean over ranks of lanes, each with its span.
struct LaneParts {
  Seconds span;
  std::vector<Components> ranks;
};
Parts passes_parts(const std::vector<LaneParts>& lanes);
// Of every lane of a timeline.
Parts passes_parts(const SideEvents& events);

// What ranks spend on each kind of event, by rank and then in the order of activity.h, mean over lanes.
std::vector<RankTime> times_by_rank(const SideEvents& events);

// The names of the parts of a critical path: a report has them as keys, ended by "_s".
std::vector<std::string> critical_path_names();

// The parts of Decomposition::Ranks.
Parts rank_parts(Seconds computing, Seconds communication, Seconds waiting);

}  // namespace spillway
