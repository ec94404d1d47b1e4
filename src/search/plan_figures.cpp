#include "search/plan_figures.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cost/step_account.h"
#include "draws/fold.h"
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

ShownPlan shown(const PlanJob& job, EvaluatedPlan plan, StageLayers& layers, OrderCache& orders) {
  const Experiment experiment = layers.experiment_of(plan.layout);
  const ScheduleSpec& schedule = experiment.schedules.front();
  ShownPlan all{plan, experiment_text(job, plan.layout, schedule), schedule.layers_per_rank};
  const PointOutcome& outcome = plan.outcome;
  all.ci95 = over_draws(outcome, [](const StepAccount&, Seconds step) { return step.value(); }).ci95;
  all.unknown = step_intervals(folded(experiment, Links::Own), {&schedule, 1}, orders).front();
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
  all.launch = launch_offer(experiment, schedule);
  return all;
}

// Marks the plans of a tie in which the figure is least, unless it is equal in all.
template <class Figure>
void praise(std::vector<ShownPlan*>& tied, const char* words, Figure figure) {
  const auto least = figure(**std::ranges::min_element(tied, {}, [&](ShownPlan* p) { return figure(*p); }));
  if (std::ranges::all_of(tied, [&](ShownPlan* p) { return figure(*p) == least; })) return;
  for (ShownPlan* plan : tied)
    if (figure(*plan) == least) plan->speaks_for.emplace_back(words);
}

void praise_all(std::vector<ShownPlan>& plans) {
  for (std::size_t tie = 1; !plans.empty() && tie <= plans.back().plan.tie; ++tie) {
    std::vector<ShownPlan*> tied;
    for (ShownPlan& plan : plans)
      if (plan.plan.tie == tie) tied.push_back(&plan);
    if (tied.size() < 2) continue;
    praise(tied, "fewest devices", [](const ShownPlan& p) { return p.plan.layout.devices; });
    praise(tied, "least memory",
           [](const ShownPlan& p) { return p.plan.outcome.schedules[0].peak_memory.value_or(Bytes()); });
    praise(tied, "fewest pipeline ranks", [](const ShownPlan& p) { return p.plan.layout.ranks; });
    praise(tied, "simplest schedule", [](const ShownPlan& p) { return p.plan.layout.schedule; });
  }
}

}  // namespace

PlanReport report_of(const PlanJob& job, SearchResult result, StageLayers& layers, std::size_t top) {
  PlanReport report{job, result.counts, {}, 0, std::move(result.without), std::move(result.answers)};
  report.tied = static_cast<std::size_t>(
      std::ranges::count_if(result.plans, [](const EvaluatedPlan& plan) { return plan.tie == 1; }));
  OrderCache orders;
  std::set<std::pair<std::size_t, std::uint32_t>> led;  // stated cluster and devices
  for (std::size_t i = 0; i < result.plans.size(); ++i) {
    const PlanLayout& layout = result.plans[i].layout;
    const bool leads = led.emplace(job.clusters[layout.cluster].stated, layout.devices).second;
    if (i >= top && !leads) continue;
    report.plans.push_back(shown(job, std::move(result.plans[i]), layers, orders));
    report.plans.back().leads = leads;
  }
  praise_all(report.plans);
  return report;
}

}  // namespace spillway
