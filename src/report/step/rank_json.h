// What the report says of each rank, as JSON. Private to src/report/step.
#pragma once

#include "report/step/figure_json.h"

namespace spillway {

// Replica by replica, rank by rank.
Json rank_rows(const ScheduleResult& schedule);

}  // namespace spillway
