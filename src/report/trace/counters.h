// What of a rank goes up and down over the step. Private to src/report/trace.
#pragma once

#include <vector>

#include "derive/derive.h"
#include "memory/peak_memory.h"
#include "timing/timeline.h"

namespace spillway {

// A value that holds until the next one's time; times ascend, neighbouring values differ.
struct CounterLevel {
  Seconds since;
  double value;
};
using Counter = std::vector<CounterLevel>;

// Microbatches whose first pass on the rank has begun and whose last has not ended.
Counter microbatches_in_flight(const Derived& derived, const Timeline& timeline, std::uint32_t lane,
                               RankId rank);

// Transfers that the rank sends and reductions that it takes part in.
Counter links_in_use(const Derived& derived, const Timeline& timeline, std::uint32_t lane, RankId rank);

// In bytes.
Counter memory_held(const std::vector<MemoryLevel>& levels);

}  // namespace spillway
