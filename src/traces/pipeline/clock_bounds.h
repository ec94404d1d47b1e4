// What the transfers between two ranks say of their clocks. Private to src/traces (clock_alignment.cpp).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "traces/pipeline/pipeline.h"
#include "traces/pipeline/pipeline_shape.h"

namespace spillway {

// Of o[b] - o[a], a < b.
struct ClockBounds {
  Seconds low = Seconds(-std::numeric_limits<double>::infinity());
  Seconds high = Seconds(std::numeric_limits<double>::infinity());
  std::vector<Seconds> ends;  // the differences at which both ends of a transfer end together

  bool feasible() const { return low <= high; }
  Seconds width() const { return high - low; }
  // By how much the difference breaks a bound; 0 where it breaks none.
  Seconds broken_by(Seconds difference) const;
  // The middle; where not feasible, the upper median of `ends`, or the middle again where there are none.
  Seconds estimate() const;
};

using RankPair = std::pair<std::uint32_t, std::uint32_t>;  // the lower rank first

// Of every pair of ranks that hold neighbouring stages, from all steps of a replica.
std::map<RankPair, ClockBounds> clock_bounds(const std::vector<const MeasuredStep*>& steps,
                                             const PipelineShape& shape);

}  // namespace spillway
