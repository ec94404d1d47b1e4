// What timeline.js of the page draws. Private to src/report/run.
#pragma once

#include <nlohmann/json.hpp>

#include "evaluate/evaluation.h"
#include "report/run/page_scale.h"

namespace spillway {

// The names that `activity` of timeline_columns counts.
nlohmann::ordered_json activities_json();

// The numbers of the shown ranks.
nlohmann::ordered_json ranks_json(const PageScale& scale);

// The schedule's end, stages, numbers of microbatches and columns (timeline_columns), of its events at most
// `most`.
nlohmann::ordered_json drawn_timeline(const ScheduleResult& schedule, const PageScale& scale,
                                      std::size_t most);

}  // namespace spillway
