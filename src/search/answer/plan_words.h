// Words and figures of a plan that its texts share.
#pragma once

#include <optional>
#include <string>

#include "search/answer/plan_figures.h"

namespace spillway {

std::string grid_text(const PlanLayout& layout);  // "P=2 TP=1 R=8"
// "8 x 1 sequences, 1f1b, recompute none, zero1"
std::string options_text(const PlanJob& job, const PlanLayout& layout);
// " [2.887, 3.823]": the 90 % interval in the unit of the step; empty without one.
std::string interval_text(Seconds step, const std::optional<StepInterval>& unknown);
// The share of a device's memory that is left, or nothing if the peak or the limit is unknown.
std::optional<double> headroom(const EvaluatedPlan& plan);
// True if plans leave memory free on some cluster, since it states no limit of its own.
bool leaves_free(const PlanJob& job);

}  // namespace spillway
