// A timeline as columns, for the page. Private to src/report/run.
#pragma once

#include <nlohmann/json.hpp>

#include "evaluate/evaluation.h"
#include "report/run/page_scale.h"

namespace spillway {

// The first draw of replica 0, rank after rank, what takes no time left out: `first` says where each rank's
// events begin, by start. Of each event start and end, activity, stage and microbatch, what else it touches,
// the event whose end it waited for longest (`before`, one more than its place; 0: none), and whether it is
// on the critical path (1: here, 2: in another replica). Where there are more than `most` events: `thinned`,
// and slices of time in place of events.
nlohmann::ordered_json timeline_columns(const ScheduleResult& schedule, const PageScale& scale,
                                        std::size_t most);

}  // namespace spillway
