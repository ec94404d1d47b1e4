// The value that a job minimizes, its limits, and the memory that its plans may use.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/quantity.h"
#include "search/search.h"

namespace spillway {

// US dollars or seconds of a step, by the job's objective.
double value_of_step(const PlanJob& job, const PlanLayout& layout, Seconds step);

// Returns a layout's plan without its tie. Contract: the outcome has a schedule that was timed.
EvaluatedPlan plan_of(const PlanJob& job, const PlanLayout& layout, PointOutcome outcome);

// In words, and the value divided by the limit.
using BrokenLimit = std::pair<std::string, double>;
// Returns the limit of the job that the plan exceeds most, if it exceeds any.
std::optional<BrokenLimit> limit_broken_by(const PlanJob& job, const EvaluatedPlan& plan);

// Returns the memory of a device that a plan may fill: the cluster's limit, or else the accelerator's memory
// without the job's headroom. Empty if neither is known.
std::optional<Bytes> usable_memory(const PlanJob& job, const JobCluster& cluster);

}  // namespace spillway
