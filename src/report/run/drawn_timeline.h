// The data that timeline.js of the page draws. Private to src/report/run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "evaluate/evaluation.h"

namespace spillway {

// Beyond kPageRanks the page shows some of the ranks. Beyond kPageEvents it shows equal slices of time, each
// by the activity that fills most of it. The page says so.
inline constexpr std::uint32_t kPageRanks = 256;
inline constexpr std::size_t kPageEvents = 400'000;  // events of all schedules
inline constexpr std::size_t kPageSlices = 600;      // slices of a rank's memory; fewest slices of its events

// Times are whole multiples of the longest step / (2^32 - 1). For a step of 1 s this is 0.00023 us.
struct PageScale {
  Seconds span;
  std::vector<RankId> ranks;  // the shown ranks

  std::uint32_t ticks(Seconds t) const {
    return span == Seconds() ? 0 : static_cast<std::uint32_t>(t / span * 4294967295.0 + 0.5);
  }
};

// Returns the first draw of replica 0 as columns. Events are sorted by rank, then by start; events without
// duration are left out. `first` has the place of each rank's first event. The columns have an event's start,
// end, activity, stage, microbatch, and the other stage, microbatch and rank that it touches. `before` is 1
// plus the place of the event whose end it waited for longest, or 0 for none. `wait` is 1 plus
// the number of the cause, in causes_json(), of idle time right before a computing event, else 0. `critical`
// is 1 if the event is on the critical path, 2 if it is so in another replica, else 0. If there are more than
// `most` events, `thinned` is set and slices of time replace events.
nlohmann::ordered_json timeline_columns(const ScheduleResult& schedule, const PageScale& scale,
                                        std::size_t most);

// Returns the names of activities, in the order of the numbers in `activity` of timeline_columns.
nlohmann::ordered_json activities_json();

// Returns the names of the causes of idle time, in the order of the numbers in `wait`.
nlohmann::ordered_json causes_json();

// Returns the numbers of the shown ranks.
nlohmann::ordered_json ranks_json(const PageScale& scale);

// Returns the schedule's makespan, stages, sampled microbatch numbers and timeline_columns with at most
// `most` events.
nlohmann::ordered_json drawn_timeline(const ScheduleResult& schedule, const PageScale& scale,
                                      std::size_t most);

}  // namespace spillway
