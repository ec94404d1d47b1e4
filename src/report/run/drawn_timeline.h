// What timeline.js of the page draws. Private to src/report/run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "evaluate/evaluation.h"

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

// The first draw of replica 0, rank after rank, what takes no time left out: `first` says where each rank's
// events begin, by start. Of each event start and end, activity, stage and microbatch, what else it touches,
// the event whose end it waited for longest (`before`, one more than its place; 0: none), and whether it is
// on the critical path (1: here, 2: in another replica). Where there are more than `most` events: `thinned`,
// and slices of time in place of events.
nlohmann::ordered_json timeline_columns(const ScheduleResult& schedule, const PageScale& scale,
                                        std::size_t most);

// The names that `activity` of timeline_columns counts.
nlohmann::ordered_json activities_json();

// The numbers of the shown ranks.
nlohmann::ordered_json ranks_json(const PageScale& scale);

// The schedule's end, stages, numbers of microbatches and columns (timeline_columns), of its events at most
// `most`.
nlohmann::ordered_json drawn_timeline(const ScheduleResult& schedule, const PageScale& scale,
                                      std::size_t most);

}  // namespace spillway
