// What the report says of each schedule, as JSON. Private to src/report/step.
#pragma once

#include "report/step/figure_json.h"

namespace spillway {

Json schedule_json(const Evaluation& evaluation, const ScheduleResult& schedule);

// Of what was run beside the experiment's schedules, in few words.
Json references_json(const Evaluation& evaluation);

// The headline's comparisons between layers that are split by count and others, once more with the count
// replaced by what layers take.
Json split_alike_json(const Evaluation& evaluation);

}  // namespace spillway
