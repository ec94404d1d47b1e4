#include "evaluate/evaluate.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "evaluate/balanced_reference.h"
#include "evaluate/fit.h"
#include "evaluate/host_memory.h"
#include "evaluate/memory_limit.h"
#include "evaluate/schedule_run.h"
#include "evaluate/sink_in_pipeline.h"
#include "evaluate/steps.h"
#include "evaluate/straddling.h"
#include "evaluate/streamed_draws.h"
#include "evaluate/warnings.h"
#include "experiment/assumed.h"

namespace spillway {
namespace {

// Nothing of it is drawn or traced.
ScheduleResult without_timeline(ScheduleResult result) {
  result.first.durations = {};
  result.first.timeline = {};
  result.first.memory.clear();
  return result;
}

// Groups that straddle are priced where there is time for it.
std::vector<Warning> warnings_of(const DrawCosts& costs, const Experiment& experiment,
                                 const std::vector<FittedParameter>& fitted, bool priced) {
  std::vector<Warning> warnings = warnings_of(costs);
  const auto straddles = [](const Warning& warning) {
    return warning.code == "straddling" || warning.code == "aligned";
  };
  if (!priced || std::erase_if(warnings, straddles) == 0) return warnings;
  for (Warning& warning : priced_straddling_warnings(experiment, fitted))
    warnings.push_back(std::move(warning));
  return warnings;
}

// Layers of every stage.
bool are_split_alike(const ScheduleResult& one, const ScheduleResult& other) {
  const auto layers = [](const Stage& stage) { return stage.layers; };
  return std::ranges::equal(one.derived->stages, other.derived->stages, {}, layers, layers);
}

// What the headline needs to hold like against like. Nobody is told of these draws: how many there are
// follows from the others.
std::vector<SplitByCost> run_by_cost(RunContext with, const Evaluation& evaluation) {
  with.on_draw = [] {};
  std::vector<SplitByCost> all;
  for (const auto& [schedule, like] : to_split_by_cost(evaluation)) {
    const ScheduleSpec& counted = with.costs.experiment().schedules[schedule];
    ScheduleResult again = run_schedule(with, split_by_cost(counted, like));
    if (!are_split_alike(again, evaluation.schedules[schedule]))
      all.push_back({schedule, like, without_timeline(std::move(again))});
  }
  return all;
}

// `experiment` as it was, `costs` of it folded.
Evaluation evaluated(const Experiment& experiment, DrawCosts costs, const Engines& engines,
                     OrderCache& orders, const OnDraw& on_draw) {
  std::vector<WorkloadUse> workloads = held_to_losses(workload_uses(costs));
  OrderCache of_fits;  // its own, so that a derivation that is timed is one
  std::vector<FittedParameter> fitted = fit_parameters(costs, of_fits);
  const Experiment& fit = costs.experiment();
  const auto missing = engines.references ? missing_references(fit) : std::vector<ScheduleSpec>{};
  const std::uint64_t draws = different_draws(fit);
  const std::uint64_t total = draws * (fit.schedules.size() + missing.size());
  std::uint64_t done = 0;
  const RunContext with{costs, orders, start(engines.run, fit),
                        [&] {
                          if (on_draw) on_draw(++done, total);
                        },
                        [&](const ScheduleSpec& schedule) { return is_streamed(fit, schedule, engines); }};
  std::vector<ScheduleResult> schedules, references;
  for (std::size_t i = 0; i < fit.schedules.size(); ++i) {
    const ScheduleSpec& schedule = fit.schedules[i];
    const std::optional<StepInterval> interval =
        engines.intervals ? step_interval(fit, schedule, orders) : std::nullopt;
    if (engines.references)
      schedules.push_back(run_schedule(with, schedule, beside(fit, schedule, missing),
                                       sink_warnings(experiment, experiment.schedules[i], fitted), interval));
    else
      schedules.push_back(run_schedule(with, schedule, {}, {}, interval));
  }
  for (const ScheduleSpec& reference : missing)
    references.push_back(without_timeline(run_schedule(with, reference)));
  std::vector<Warning> warnings = warnings_of(costs, experiment, fitted, engines.references);
  std::vector<PlatformInput> inputs = inputs_of(fit, fitted);
  Evaluation all{.experiment = fit.name,
                 .baseline = fit.baseline,
                 .fitted = std::move(fitted),
                 .assumptions = assumed(experiment),
                 .schedules = std::move(schedules),
                 .memory_limit = memory_limit(fit),
                 .inputs = std::move(inputs),
                 .warnings = std::move(warnings),
                 .workloads = std::move(workloads),
                 .references = std::move(references),
                 .job = job_of(fit),
                 .equal_terms = fit.equal_terms};
  if (engines.references) all.by_cost = run_by_cost(with, all);
  return all;
}

}  // namespace

Evaluation evaluate(const Experiment& experiment, const Engines& engines, OrderCache& orders,
                    const OnDraw& on_draw) {
  ensure(!engines.run.empty(), "an evaluation needs an engine");
  return evaluated(experiment, DrawCosts(held_whole(experiment, engines)), engines, orders, on_draw);
}

Evaluation evaluate(const Experiment& experiment, const Engines& engines) {
  OrderCache orders;
  return evaluate(experiment, engines, orders);
}

}  // namespace spillway
