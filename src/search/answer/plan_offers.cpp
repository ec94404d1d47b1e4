#include "search/answer/plan_offers.h"

#include <algorithm>
#include <optional>

namespace spillway {
namespace {

// Of all frameworks; nothing if none of them can launch a plan.
std::optional<std::size_t> best_to_launch(const std::vector<EvaluatedPlan>& plans,
                                          const std::vector<FrameworkAnswer>& answers) {
  std::optional<std::size_t> best;
  for (const FrameworkAnswer& answer : answers) {
    if (!answer.launchable) continue;
    const auto place = std::ranges::find(plans, answer.launchable->layout, &EvaluatedPlan::layout);
    best = std::min(static_cast<std::size_t>(place - plans.begin()), best.value_or(plans.size()));
  }
  return best;
}

}  // namespace

const LaunchOffer& PlanOffers::of(std::size_t plan) {
  if (const auto known = known_.find(plan); known != known_.end()) return known->second;
  const Experiment experiment = layers_.experiment_of(plans_[plan].layout);
  return known_.emplace(plan, launch_offer(experiment, experiment.schedules.front())).first->second;
}

PlanRows rows_of_search(const PlanJob& job, const std::vector<EvaluatedPlan>& plans,
                        const std::vector<FrameworkAnswer>& answers, std::size_t top, PlanOffers& offers) {
  const CanLaunch can_launch = [&](std::size_t plan) { return offers.of(plan).launch.has_value(); };
  return rows_of(job, plans, top, can_launch, best_to_launch(plans, answers));
}

}  // namespace spillway
