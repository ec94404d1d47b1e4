// The launches of evaluated plans, and the rows that an answer has with them.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "launch/write/frameworks.h"
#include "search/answer/plan_rows.h"
#include "search/stage_layers.h"

namespace spillway {

// Writes each launch once. Views the plans and the layers.
class PlanOffers {
 public:
  PlanOffers(const std::vector<EvaluatedPlan>& plans, StageLayers& layers) : plans_(plans), layers_(layers) {}

  // Contract: `plan` is an index of the plans.
  const LaunchOffer& of(std::size_t plan);

 private:
  const std::vector<EvaluatedPlan>& plans_;
  StageLayers& layers_;
  std::map<std::size_t, LaunchOffer> known_;
};

// The rows of `plan`; the first is plan 1. Contract: plans and answers are those of a search with this `top`,
// and there is a plan.
PlanRows rows_of_search(const PlanJob& job, const std::vector<EvaluatedPlan>& plans,
                        const std::vector<FrameworkAnswer>& answers, std::size_t top, PlanOffers& offers);

}  // namespace spillway
