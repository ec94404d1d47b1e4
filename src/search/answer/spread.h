// What software is worth: the answer of each framework that a job's clusters could run, and the bound that
// none of them reaches. Private to src/search, but for tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/answer/plan_figures.h"

namespace spillway {

// The answers of one stated cluster, its frameworks by value, those without a plan last.
struct ClusterSpread {
  const JobCluster* cluster;  // the first of the stated one
  std::vector<const FrameworkAnswer*> frameworks;
  const FrameworkAnswer* bound = nullptr;
};
// Clusters that are planned without a framework have none.
std::vector<ClusterSpread> spreads_of(const PlanReport& report);

// US dollars for 10^12 useful tokens, mean over the draws; nothing without a price.
std::optional<Dollars> trillion_tokens_price(const EvaluatedPlan& plan);

// Returns lines for a terminal. Empty if no framework is stated.
std::string spread_text(const PlanReport& report);

// Returns JSON text for "software" of spillway/plans/1.
std::string spread_json(const PlanReport& report);

}  // namespace spillway
