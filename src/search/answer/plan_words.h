// Words and figures of a plan that its texts share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/answer/plan_figures.h"

namespace spillway {

std::string grid_text(const PlanLayout& layout);  // "P=2 TP=1 R=8"
// "16 devices of HGX H100 under nemo"
std::string where_text(const PlanJob& job, const PlanLayout& layout);
// "8 x 1 sequences, 1f1b, recompute none, zero1"
std::string options_text(const PlanJob& job, const PlanLayout& layout);
// " [2.887, 3.823]": the 90 % interval in the unit of the step; empty without one.
std::string interval_text(Seconds step, const std::optional<StepInterval>& unknown);
// The software and its arguments of layout and batch. Contract: there is a launch.
std::string launch_words(const LaunchOffer& offer);
// Why plan 1, which is `first` with this launch, stands before a layout that cannot be told apart from it:
// "it cannot be launched: ...", where "it" is `name`, or "plan 1 is simpler". Empty if it is neither.
// `launch_reason` says why the other cannot be launched; empty: it can.
std::string preference_words(const PlanJob& job, const PlanLayout& first, const LaunchOffer& launch,
                             const PlanLayout& other, const std::string& launch_reason,
                             std::string_view name = "it");
// The share of a device's memory that is left, or nothing if the peak or the limit is unknown.
std::optional<double> headroom(const EvaluatedPlan& plan);
// True if plans leave memory free on some cluster, since it states no limit of its own.
bool leaves_free(const PlanJob& job);

}  // namespace spillway
