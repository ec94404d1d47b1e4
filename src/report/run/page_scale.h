// What the step's page shows of large jobs, and the scale that its times are whole numbers of. Private to
// src/report/run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

// Beyond these the page shows some of the ranks, and of time equal slices by what fills most of them, and
// says so.
inline constexpr std::uint32_t kPageRanks = 256;
inline constexpr std::size_t kPageEvents = 400'000;  // of all schedules
inline constexpr std::size_t kPageSlices = 600;      // of each rank's memory, and at least of its events

// Times are counted in 2^32 - 1 parts of the longest step: to a ten-thousandth of a microsecond in a second.
struct PageScale {
  Seconds span;
  std::vector<RankId> ranks;  // that are shown

  std::uint32_t ticks(Seconds t) const {
    return span == Seconds() ? 0 : static_cast<std::uint32_t>(t / span * 4294967295.0 + 0.5);
  }
};

}  // namespace spillway
