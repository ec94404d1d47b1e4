// The passes of an evaluation, in order. Before them, input/experiment/experiment.cpp reads and checks the
// experiment, and systems lay out their schedules. After them, warn/warnings.cpp adds sentences, and a report
// prints all of it and decides nothing.
//
//   prepare            folds replicas that run alike, samples the draws, fits parameters, adds references
//   described          lists what the figures rest on: assumptions, platform inputs, limits
//   run_schedules      plans, derives, prices and times every schedule on the same draws
//   run_references     does the same with the balanced pipelines that transposed schedules are compared with
//   add_intervals      computes the interval of each step from the uncertain figures of machine and software
//   add_interval_parts says what the interval of the fastest schedule rests on
//   run_split_by_cost  runs schedules again that are split by count and compared with ones split by time
#include "evaluate/evaluate.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "evaluate/balanced_reference.h"
#include "evaluate/prepared_job.h"
#include "evaluate/steps.h"
#include "experiment/assumed.h"

namespace spillway {
namespace {

Evaluation described(const PreparedJob& job) {
  const Experiment& experiment = job.experiment();
  return {.experiment = experiment.name,
          .baseline = experiment.baseline,
          .fitted = job.fitted,
          .assumptions = assumed(job.read),
          .schedules = {},
          .memory_limit = job.limit,
          .inputs = inputs_of(experiment, job.fitted),
          .workloads = job.workloads,
          .job = job_of(experiment),
          .equal_terms = experiment.equal_terms};
}

void run_schedules(const RunContext& with, Evaluation& all) {
  for (const ScheduleSpec& schedule : with.job.experiment().schedules)
    all.schedules.push_back(run_schedule(with, schedule));
}

// Drops data for pictures and traces, which this result does not need.
ScheduleResult without_timeline(ScheduleResult result) {
  result.first.durations = {};
  result.first.timeline = {};
  result.first.memory.clear();
  return result;
}

void run_references(const RunContext& with, Evaluation& all) {
  const Experiment& experiment = with.job.experiment();
  if (!with.job.asked.references) return;
  for (const ScheduleSpec& reference : with.job.references)
    all.references.push_back(without_timeline(run_schedule(with, reference)));
  for (std::size_t i = 0; i < all.schedules.size(); ++i)
    all.schedules[i].beside = beside(experiment, experiment.schedules[i], with.job.references);
}

void add_intervals(const RunContext& with, Evaluation& all) {
  const Experiment& experiment = with.job.experiment();
  if (!with.job.asked.intervals) return;
  std::vector<StepInterval> intervals = step_intervals(experiment, experiment.schedules, with.orders);
  for (std::size_t i = 0; i < intervals.size(); ++i) all.schedules[i].interval = std::move(intervals[i]);
}

// Adds the parts to the schedule that the answer names.
void add_interval_parts(const RunContext& with, Evaluation& all) {
  if (!with.job.asked.interval_parts) return;
  const ScheduleResult* winner = headline(all).winner;
  const Experiment& experiment = with.job.experiment();
  for (std::size_t i = 0; i < all.schedules.size(); ++i)
    if (std::optional<StepInterval>& interval = all.schedules[i].interval;
        interval && &all.schedules[i] == winner)
      interval->rests_on = interval_parts(experiment, experiment.schedules[i], with.orders);
}

// Returns true if every stage has the same layers.
bool are_split_alike(const ScheduleResult& one, const ScheduleResult& other) {
  const auto layers = [](const Stage& stage) { return stage.layers; };
  return std::ranges::equal(one.derived->stages, other.derived->stages, {}, layers, layers);
}

// Runs the schedules that the headline needs to compare like with like. Does not report these draws: their
// number follows from the results of the others.
void run_split_by_cost(RunContext with, Evaluation& all) {
  if (!with.job.asked.references) return;
  with.on_draw = [] {};
  for (const auto& [schedule, like] : to_split_by_cost(all)) {
    const ScheduleSpec& counted = with.job.experiment().schedules[schedule];
    ScheduleResult again = run_schedule(with, split_by_cost(counted, like));
    if (!are_split_alike(again, all.schedules[schedule]))
      all.by_cost.push_back({schedule, like, without_timeline(std::move(again))});
  }
}

std::function<void()> counting(const OnDraw& on_draw, const PreparedJob& job) {
  if (!on_draw) return [] {};
  const std::uint64_t total =
      std::uint64_t{job.draws} * (job.experiment().schedules.size() + job.references.size());
  return [&on_draw, total, done = std::uint64_t{0}]() mutable { on_draw(++done, total); };
}

}  // namespace

Evaluation evaluate(const Experiment& experiment, const Engines& engines, OrderCache& orders,
                    const OnDraw& on_draw) {
  ensure(!engines.run.empty(), "an evaluation needs an engine");
  const PreparedJob job = prepare(experiment, engines);
  const RunContext with{job, orders, counting(on_draw, job)};
  Evaluation all = described(job);
  run_schedules(with, all);
  run_references(with, all);
  add_intervals(with, all);
  add_interval_parts(with, all);
  run_split_by_cost(with, all);
  return all;
}

Evaluation evaluate(const Experiment& experiment, const Engines& engines) {
  OrderCache orders;
  return evaluate(experiment, engines, orders);
}

}  // namespace spillway
