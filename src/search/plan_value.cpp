#include "search/plan_value.h"

#include <fmt/format.h>

#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"

namespace spillway {

double value_of_step(const PlanJob& job, const PlanLayout& layout, Seconds step) {
  if (job.objective == Objective::Time) return step.value();
  return (step * job.clusters[layout.cluster].platform().price->value).value() * layout.devices;
}

EvaluatedPlan plan_of(const PlanJob& job, const PlanLayout& layout, PointOutcome outcome) {
  const Seconds step = mean_makespan(outcome.schedules.front());
  EvaluatedPlan plan{layout, std::move(outcome), step, {}, value_of_step(job, layout, step)};
  if (const auto& price = job.clusters[layout.cluster].platform().price)
    plan.step_cost = step * price->value * static_cast<double>(layout.devices);
  return plan;
}

std::optional<BrokenLimit> limit_broken_by(const PlanJob& job, const EvaluatedPlan& plan) {
  std::optional<BrokenLimit> worst;
  const auto hold = [&](const char* what, std::optional<double> value, std::optional<double> limit) {
    if (!value || !limit || *value <= *limit || (worst && *value / *limit <= worst->second)) return;
    worst = {fmt::format("{:.4g} {}; the limit is {:.4g}", *value, what, *limit), *value / *limit};
  };
  const JobLimits& limits = job.limits;
  const auto price = price_of(job, plan);
  hold("days", days_of(job, plan), limits.days);
  hold("USD", price ? std::optional(price->value()) : std::nullopt,
       limits.budget ? std::optional(limits.budget->value()) : std::nullopt);
  hold("seconds of a step", plan.step.value(),
       limits.step ? std::optional(limits.step->value()) : std::nullopt);
  return worst;
}

std::optional<Bytes> usable_memory(const PlanJob& job, const JobCluster& cluster) {
  const auto limit = memory_limit(cluster.base);
  if (!limit) return std::nullopt;
  return limit->stated ? limit->bytes : limit->bytes * (1 - job.limits.memory_headroom);
}

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
