#include "search/answer/plan_figures.h"

#include <algorithm>
#include <utility>

#include "cost/step_account.h"
#include "draws/fold.h"
#include "search/answer/plan_offers.h"
#include "search/schedule_names.h"
#include "words/spread.h"

namespace spillway {
namespace {

Spread over_draws(const PointOutcome& outcome, double (*figure)(const StepAccount&, Seconds)) {
  const std::vector<Seconds>& makespans = outcome.schedules.front().makespans;
  std::vector<double> values;
  for (std::size_t draw = 0; draw < makespans.size(); ++draw)
    values.push_back(figure(outcome.accounts[draw], makespans[draw]));
  return spread(std::move(values));
}

StepInterval interval_of(const Experiment& experiment, OrderCache& orders) {
  return step_intervals(folded(experiment, Links::Own), {experiment.schedules.data(), 1}, orders).front();
}

ShownPlan shown(const PlanJob& job, EvaluatedPlan plan, StageLayers& layers, OrderCache& orders) {
  const Experiment experiment = layers.experiment_of(plan.layout);
  const ScheduleSpec& schedule = experiment.schedules.front();
  ShownPlan all{plan, experiment_text(job, plan.layout, schedule), schedule.layers_per_rank};
  const PointOutcome& outcome = plan.outcome;
  all.ci95 = over_draws(outcome, [](const StepAccount&, Seconds step) { return step.value(); }).ci95;
  all.unknown = interval_of(experiment, orders);
  all.plan.outcome.schedules.front().evidence = weakest_evidence(experiment, orders);
  all.mfu = over_draws(outcome, [](const StepAccount& a, Seconds t) { return throughput(a, t).mfu; }).mean;
  all.useful_tokens_per_second = over_draws(outcome, [](const StepAccount& a, Seconds t) {
                                   return throughput(a, t).useful_tokens_per_second;
                                 }).mean;
  if (plan.step_cost)
    all.trillion_useful_tokens = Dollars(over_draws(outcome, [](const StepAccount& a, Seconds t) {
                                           return throughput(a, t).cost->trillion_useful_tokens.value();
                                         }).mean);
  all.days = days_of(job, plan);
  all.price = price_of(job, plan);
  all.goodput = goodput_of(job, plan);
  all.folded = folded_names(job, plan.layout);
  all.framework = on_platform(experiment.costs)->framework.name;
  return all;
}

RivalPlan rival_of(const PlanJob& job, const EvaluatedPlan& plan, StageLayers& layers, OrderCache& orders) {
  const Experiment experiment = layers.experiment_of(plan.layout);
  return {.layout = plan.layout,
          .step = plan.step,
          .value = plan.value,
          .days = days_of(job, plan),
          .price = price_of(job, plan),
          .unknown = interval_of(experiment, orders),
          .launch_reason = {}};
}

// By the time of a step and its device-hours or cost.
void mark_frontier(const PlanJob& job, std::vector<ClusterBest>& bests) {
  std::vector<ScatterPoint> places;
  for (const ClusterBest& best : bests) {
    const auto& price = job.clusters[best.optimum.layout.cluster].platform().price;
    const double rate = job.has_prices ? price->value.value() : 1;
    places.push_back(
        {best.optimum.step.value(), best.optimum.step.value() * best.optimum.layout.devices * rate});
  }
  for (const std::size_t best : undominated(places)) bests[best].on_frontier = true;
}

}  // namespace

PlanReport report_of(const PlanJob& job, SearchResult result, StageLayers& layers, std::size_t top) {
  PlanReport report{.job = job,
                    .counts = result.counts,
                    .plans = {},
                    .without = std::move(result.without),
                    .answers = std::move(result.answers)};
  report.tied = static_cast<std::size_t>(
      std::ranges::count_if(result.plans, [](const EvaluatedPlan& plan) { return plan.tie == 1; }));
  OrderCache orders;
  PlanOffers offers(result.plans, layers);
  const PlanRows rows = rows_of_search(job, result.plans, report.answers, top, offers);
  report.tied_choices = rows.tied;
  for (const PlanRow& row : rows.rows) {
    report.plans.push_back(shown(job, result.plans[row.shown], layers, orders));
    ShownPlan& plan = report.plans.back();
    plan.launch = offers.of(row.shown);
    for (const std::size_t other : row.folded) plan.like.push_back(result.plans[other].layout);
  }
  const auto rival = [&](std::size_t plan) {
    RivalPlan one = rival_of(job, result.plans[plan], layers, orders);
    one.launch_reason = offers.of(plan).reason;
    return one;
  };
  if (rows.next) report.next = rival(*rows.next);
  for (const DevicesBest& best : rows.bests) {
    report.plans[best.row].leads = true;
    report.bests.push_back({best.row, rival(best.optimum), best.of_cluster, false});
  }
  mark_frontier(job, report.bests);
  return report;
}

}  // namespace spillway
