// Tables of plans for a terminal.
#pragma once

#include <string>

#include "search/answer/plan_figures.h"

namespace spillway {

// A row for each plan.
std::string choices_table(const PlanReport& report);
// A row for each number of a cluster's devices; those of a cluster follow its best.
std::string bests_table(const PlanReport& report);
// The values in which the plans folded into this one differ: "schedules zb-h1, zb-2p; states zero2".
std::string alike_text(const PlanJob& job, const ShownPlan& shown);

}  // namespace spillway
