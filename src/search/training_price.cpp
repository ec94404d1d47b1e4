// The days and the price of a whole training, from a plan's step.
#include "search/search.h"

namespace spillway {

double useful_tokens(const PointOutcome& outcome) {
  double sum = 0;
  for (const StepAccount& account : outcome.accounts) sum += account.useful_tokens;
  return sum / static_cast<double>(outcome.accounts.size());
}

std::optional<double> days_of(const PlanJob& job, const EvaluatedPlan& plan) {
  if (!job.tokens) return std::nullopt;
  return *job.tokens / useful_tokens(plan.outcome) * plan.step.value() / kSecondsOfADay;
}

std::optional<Dollars> price_of(const PlanJob& job, const EvaluatedPlan& plan) {
  if (!job.tokens || !plan.step_cost) return std::nullopt;
  return *plan.step_cost * (*job.tokens / useful_tokens(plan.outcome));
}

}  // namespace spillway
