// Finds the layouts that serve a job best, on this machine or on the ranks of an MPI job.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/long_runs.h"
#include "cli/pages.h"
#include "cli/sweep_progress.h"
#include "plan/layout_evaluator.h"
#include "plan/pareto.h"
#include "plan/plan_figures.h"
#include "plan/plan_store.h"
#include "report/words/whole_file.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/ranks.h"
#include "sweep/run/workers.h"

namespace spillway {
namespace {

struct PlanArguments {
  std::string job;
  std::size_t top = 10;
  unsigned jobs = 0;  // threads; 0: one for each core, under mpirun one
  std::string out;    // the store; empty: none
  bool resume = false;
  std::string plot;   // picture of the evaluated layouts; empty: none
  std::string write;  // folder for an experiment of each plan; empty: none
  bool json = false;
  bool quiet = false;
};

// SimGrid is one to a process.
Seconds replayed(StageLayers& layers, const PlanLayout& layout) {
  const Experiment experiment = layers.experiment_of(layout);
  const Compute replay = [&](std::size_t) {
    Caches caches;
    return replay_point(experiment, caches);
  };
  const PointOutcome outcome = compute_in_process(0, replay);
  Seconds sum;
  for (const Seconds draw : outcome.schedules.front().replayed) sum += draw;
  return sum * (1.0 / static_cast<double>(outcome.schedules.front().replayed.size()));
}

void write_experiments(const PlanReport& report, const Scatter& picture, const std::filesystem::path& folder,
                       bool quiet) {
  for (std::size_t i = 0; i < report.plans.size(); ++i)
    write_whole_file(folder / ("plan-" + std::to_string(i + 1) + ".json"),
                     [&](std::ostream& out) { out << report.plans[i].experiment; });
  write_page_file(folder, [&] { return plans_page_json(report, picture); });
  if (!quiet)
    std::cerr << "wrote an experiment of each plan and " << page_words() << " under " << folder.string()
              << '\n';
}

// The line of progress is over when this returns or throws.
SearchResult search(const PlanJob& job, const std::vector<PlanLayout>& layouts, LayoutEvaluator& evaluator,
                    RankedJob* ranks, ResultStore* store, const PlanArguments& arguments) {
  const CaughtSignals signals;  // between the rounds, too
  const Compute compute = [&](std::size_t point) { return evaluator(point); };
  const unsigned threads = threads_of(arguments.jobs, ranks != nullptr);
  const ComputeRound by_workers = [&](const std::vector<std::size_t>& points, const Keep& keep) {
    if (signals.arrived()) throw Interrupted();
    if (ranks)
      ranks->lead(points, threads, compute, keep);
    else
      compute_in_threads(points, threads, compute, keep);
  };
  SweepProgress progress(arguments.quiet, "layouts");
  progress.start(0, layouts.size());
  return search_plans(job, layouts, evaluator.layers(), arguments.top,
                      store ? kept_in(*store, by_workers) : by_workers, threads,
                      [&](std::size_t settled) { progress.advance(settled); });
}

// Says what is kept where the search is ended early.
SearchResult search_into(ResultStore& store, const PlanJob& job, const std::vector<PlanLayout>& layouts,
                         LayoutEvaluator& evaluator, RankedJob* ranks, const PlanArguments& arguments) {
  try {
    SearchResult result = search(job, layouts, evaluator, ranks, &store, arguments);
    store.settle();
    return result;
  } catch (const Interrupted&) {
    store.settle();
    std::cerr << store.finished().size() << " evaluated layouts are kept in " << store.path()
              << "; --resume goes on\n";
    throw;
  }
}

SearchResult searched(const PlanJob& job, const std::vector<PlanLayout>& layouts, LayoutEvaluator& evaluator,
                      RankedJob* ranks, const PlanArguments& arguments) {
  if (arguments.out.empty()) return search(job, layouts, evaluator, ranks, nullptr, arguments);
  ResultStore store = store_at(arguments.out, arguments.resume, store_heading(job), {});
  return search_into(store, job, layouts, evaluator, ranks, arguments);
}

int lead(const PlanJob& job, RankedJob* ranks, const PlanArguments& arguments) {
  if (arguments.resume && arguments.out.empty())
    refuse_argument("--resume", "--out, the store to go on with", "none");
  if (!arguments.plot.empty() && !picture_format(arguments.plot))
    refuse_argument("--plot", "a file that ends in .svg or .png", '"' + arguments.plot + '"');
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  LayoutEvaluator evaluator(job, layouts);
  SearchResult result = searched(job, layouts, evaluator, ranks, arguments);
  if (result.plans.empty()) throw Infeasible(job.path + ": " + result.refusal);
  if (!arguments.plot.empty()) write_scatter(pareto_picture(job, result), arguments.plot);
  const std::optional<Scatter> picture =
      arguments.write.empty() ? std::nullopt : std::optional(pareto_picture(job, result));
  PlanReport report = report_of(job, std::move(result), evaluator.layers(), arguments.top);
  for (std::size_t i = 0; i < std::min<std::size_t>(job.replay, report.plans.size()); ++i)
    report.plans[i].replayed = replayed(evaluator.layers(), report.plans[i].plan.layout);
  if (picture) write_experiments(report, *picture, arguments.write, arguments.quiet);
  std::cout << (arguments.json ? plans_json(report) : plans_text(report));
  return 0;
}

// What a rank other than the first computes with.
struct Followed {
  explicit Followed(const std::string& path)
      : job(read_plan_job(path)), layouts(legal_layouts(job)), evaluator(job, layouts) {}

  const PlanJob job;
  const std::vector<PlanLayout> layouts;
  LayoutEvaluator evaluator;
};

int plan_job(const PlanArguments& arguments) {
  if (!is_launched_on_ranks()) return lead(read_plan_job(arguments.job), nullptr, arguments);
  RankedJob ranks;
  if (ranks.is_first()) return lead(read_plan_job(arguments.job), &ranks, arguments);
  return follow(ranks, arguments.jobs, [&]() -> Compute {
    return [followed = std::make_shared<Followed>(arguments.job)](std::size_t point) {
      return followed->evaluator(point);
    };
  });
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command = app.add_subcommand(
      "plan",
      "the layouts, schedules and clusters that serve a job best, ranked as far as they can be told apart");
  command->add_option("JOB", arguments->job, "job file (spillway/plan/1, see spillway schema plan)")
      ->required();
  command->add_option("--top", arguments->top, "how many plans to show")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "threads (default: one for each core)")
      ->check(CLI::Range(1U, 1024U));
  command->add_option("--out", arguments->out, "keep evaluated layouts in a store, an SQLite file");
  command->add_flag("--resume", arguments->resume, "go on with the store; begin it where there is none");
  command->add_option("--plot", arguments->plot,
                      "picture of time against cost of the evaluated layouts, .svg or .png");
  command->add_option("--write", arguments->write,
                      "folder for report.html, and for each plan as an experiment");
  command->add_flag("--json", arguments->json, "print the plans as JSON, experiments in them");
  command->add_flag("--quiet", arguments->quiet, "no progress");
  command->footer("Example: spillway plan workloads/jobs/qwen2-vl-72b.json");
  command->callback([arguments, &status] {
    try {
      status = plan_job(*arguments);
    } catch (const Interrupted&) {
      std::cerr << "interrupted\n";
      status = kInterrupted;
    }
  });
}

}  // namespace spillway
