#include "api/plan_job.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/experiment_input.h"
#include "json/shipped_files.h"
#include "search/answer/pareto.h"
#include "search/layout_evaluator.h"
#include "search/plan_store.h"
#include "search/sense.h"
#include "search/software/narrowed_job.h"
#include "sim/shared_flows.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/workers.h"

namespace spillway {
namespace {

// A process can have only one SimGrid.
Seconds replayed(StageLayers& layers, const PlanLayout& layout) {
  const Experiment experiment = layers.experiment_of(layout);
  const Compute replay = [&](std::size_t) {
    Caches caches;
    return with_replays(evaluate_point(experiment, caches), experiment, caches);
  };
  const PointOutcome outcome = compute_in_process(0, replay);
  Seconds sum;
  for (const Seconds draw : outcome.schedules.front().replayed) sum += draw;
  return sum * (1.0 / static_cast<double>(outcome.schedules.front().replayed.size()));
}

SearchResult search(const PlanJob& job, const std::vector<PlanLayout>& layouts, LayoutEvaluator& evaluator,
                    RankedJob* ranks, ResultStore* store, const PlanArguments& arguments,
                    const OnPoints& on_layouts) {
  if (job.replay > 0) load_simgrid();  // if it is not there, nobody waits for the search
  const CaughtSignals signals;         // also catches signals between the rounds
  const Compute compute = [&](std::size_t point) { return evaluator(point); };
  const unsigned threads = threads_of(arguments.jobs, ranks != nullptr);
  const ComputeRound by_workers = [&](const std::vector<std::size_t>& points, const Keep& keep) {
    if (signals.arrived()) throw Interrupted();
    if (ranks)
      ranks->lead(points, threads, compute, keep);
    else
      compute_in_threads(points, threads, compute, keep);
  };
  const auto settled = [&](std::size_t count) {
    if (on_layouts) on_layouts(count, layouts.size());
  };
  settled(0);
  return search_plans(job, layouts, evaluator.layers(), arguments.top,
                      store ? kept_in(*store, by_workers) : by_workers, threads, settled);
}

SearchResult searched(const PlanJob& job, const std::vector<PlanLayout>& layouts, LayoutEvaluator& evaluator,
                      RankedJob* ranks, const PlanArguments& arguments, const OnPoints& on_layouts) {
  std::optional<ResultStore> store;
  if (!arguments.out.empty()) store = store_at(arguments.out, arguments.resume, store_heading(job), {});
  try {
    SearchResult result =
        search(job, layouts, evaluator, ranks, store ? &*store : nullptr, arguments, on_layouts);
    if (store) store->settle();
    return result;
  } catch (const Interrupted&) {
    InterruptedPlan end;
    if (store) {
      store->settle();
      end.store = store->path();
      end.kept = store->finished().size();
    }
    throw end;
  }
}

PlanJob planned_job(const PlanArguments& arguments) {
  PlanJob job = read_plan_job(shipped_source(arguments.source, "job"), arguments.framework);
  job.launchable = arguments.launchable;
  return arguments.all ? of_all_layouts(std::move(job)) : job;
}

// A rank other than rank 0 computes layouts with these.
struct Followed {
  explicit Followed(const PlanArguments& arguments)
      : job(planned_job(arguments)), layouts(searched_layouts(job).layouts), evaluator(job, layouts) {}

  const PlanJob job;
  const std::vector<PlanLayout> layouts;
  LayoutEvaluator evaluator;
};

std::unique_ptr<const PlanJob> job_of(const PlanArguments& arguments) {
  auto job = std::make_unique<const PlanJob>(planned_job(arguments));
  if (arguments.resume && arguments.out.empty())
    refuse_argument("--resume", "--out with the store to continue", "none");
  return job;
}

// The nearest layout, and if it does not fit, its memory and what would make it fit.
std::string without_plan(const PlanJob& narrowed, const SearchResult& result) {
  const std::string why = narrowed.path + ": " + result.refusal + left_out_text(result.counts);
  if (!result.misfit) return why;
  const PlanJob job = with_other_frameworks(narrowed);
  LayoutTrials trials(job);
  const MisfitAccount account = explain_misfit(trials, job, *result.misfit, result.misfit->schedule);
  return why + '\n' + misfit_text(job, *result.misfit, account);
}

}  // namespace

PlanAnswer plan_job(const PlanArguments& arguments, RankedJob* ranks, const OnPoints& on_layouts) {
  auto job = job_of(arguments);
  const auto [layouts, left_out] = searched_layouts(*job);
  LayoutEvaluator evaluator(*job, layouts);
  SearchResult result = searched(*job, layouts, evaluator, ranks, arguments, on_layouts);
  result.counts.left_out = left_out;
  if (result.plans.empty()) throw Infeasible(without_plan(*job, result));
  Scatter picture = pareto_picture(*job, result);
  PlanReport report = report_of(*job, std::move(result), evaluator.layers(), arguments.top);
  for (std::size_t i = 0; i < std::min<std::size_t>(job->replay, report.plans.size()); ++i)
    report.plans[i].replayed = replayed(evaluator.layers(), report.plans[i].plan.layout);
  return {std::move(job), std::move(report), std::move(picture)};
}

LayoutAnswer explain_layout_of_job(const PlanArguments& arguments, const std::string& layout,
                                   RankedJob* ranks, const OnPoints& on_layouts) {
  const auto job = job_of(arguments);
  auto asked = std::make_unique<const AskedLayout>(asked_layout(*job, layout));
  const std::vector<PlanLayout> layouts = searched_layouts(*job).layouts;
  LayoutEvaluator evaluator(*job, layouts);
  SearchResult result = searched(*job, layouts, evaluator, ranks, arguments, on_layouts);
  ExplainedLayout explained = explain_layout(*asked, result, arguments.top);
  return {std::move(asked), std::move(explained), std::move(result)};
}

void follow_plan(RankedJob& ranks, const PlanArguments& arguments) {
  follow(ranks, arguments.jobs, [&]() -> Compute {
    return [followed = std::make_shared<Followed>(arguments)](std::size_t point) {
      return followed->evaluator(point);
    };
  });
}

}  // namespace spillway
