#include "ask/layout_trial.h"

#include <utility>

#include "cost/analytic_costs.h"
#include "evaluate/memory_limit.h"
#include "search/plan_value.h"
#include "sweep/run/refused_point.h"

namespace spillway {
namespace {

void let_the_host_keep(HostKeeps what, Experiment& experiment) {
  AnalyticCosts& costs = *on_platform(experiment.costs);
  if (what == HostKeeps::OptimizerStates) costs.parallelism.states.offloaded = 1;
  for (BlockCosts& block : costs.blocks)
    if (what == HostKeeps::Activations) block.offload = OffloadWhat::All;
  if (what == HostKeeps::AsStated) return;
  const auto violations = check_analytic(costs, experiment.model, experiment.pipeline);
  if (!violations.empty()) throw InputError(violations);
}

}  // namespace

LayoutTrial LayoutTrials::operator()(const PlanLayout& layout) {
  return (*this)(LayoutChange{.key = "", .from = "", .to = "", .layout = layout});
}

LayoutTrial LayoutTrials::operator()(const LayoutChange& change) {
  if (change.host != HostKeeps::AsStated || change.more_devices) return evaluated(change);
  if (const auto known = known_.find(change.layout); known != known_.end()) return known->second;
  return known_.emplace(change.layout, evaluated(change)).first->second;
}

LayoutTrial LayoutTrials::evaluated(const LayoutChange& change) {
  const DevicesFrom from = change.more_devices ? DevicesFrom::Platform : DevicesFrom::Job;
  LayoutTrial trial{change.layout, broken_rules(job_, change.layout, from)};
  if (!trial.rules.empty()) return trial;
  PointOutcome outcome = outcome_or_refusal([&] {
    Experiment experiment = layers_.experiment_of(change.layout);
    let_the_host_keep(change.host, experiment);
    return evaluate_point(experiment, caches_);
  });
  trial.refusal = outcome.refusal;
  if (!trial.refusal.empty()) return trial;
  trial.memory = outcome.schedules.front().peak_memory;
  const EvaluatedPlan plan = plan_of(job_, change.layout, std::move(outcome));
  trial.step = plan.step;
  trial.value = plan.value;
  if (const auto beyond = limit_broken_by(job_, plan)) trial.limit = beyond->first;
  trial.fits = fits(trial.memory, usable_memory(job_, job_.clusters[change.layout.cluster]));
  return trial;
}

}  // namespace spillway
