// Finds the layouts that serve a job best, on this machine or on the ranks of an MPI job.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/sweep_progress.h"
#include "plan/layout_evaluator.h"
#include "plan/plan_figures.h"
#include "report/words/whole_file.h"
#include "sweep/run/ranks.h"
#include "sweep/run/workers.h"

namespace spillway {
namespace {

constexpr int kInterruptedPlan = 130;  // what a shell says of a program that Ctrl-C ended

struct PlanArguments {
  std::string job;
  std::size_t top = 10;
  unsigned jobs = 0;  // threads; 0: one for each core, under mpirun one
  std::string write;  // folder for an experiment of each plan; empty: none
  bool json = false;
  bool quiet = false;
};

unsigned threads_of(const PlanArguments& arguments, bool ranked) {
  if (arguments.jobs > 0) return arguments.jobs;
  return ranked ? 1 : std::max(1U, std::thread::hardware_concurrency());
}

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

void write_experiments(const PlanReport& report, const std::filesystem::path& folder) {
  for (std::size_t i = 0; i < report.plans.size(); ++i)
    write_whole_file(folder / ("plan-" + std::to_string(i + 1) + ".json"),
                     [&](std::ostream& out) { out << report.plans[i].experiment; });
}

int lead(const PlanJob& job, RankedJob* ranks, const PlanArguments& arguments) {
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  LayoutEvaluator evaluator(job, layouts);
  const Compute compute = [&](std::size_t point) { return evaluator(point); };
  const unsigned threads = threads_of(arguments, ranks != nullptr);
  SearchResult result;
  {
    SweepProgress progress(arguments.quiet, "layouts");
    progress.start(0, layouts.size());
    result = search_plans(
        job, layouts, evaluator.layers(), arguments.top,
        [&](const std::vector<std::size_t>& points, const Keep& keep) {
          if (ranks)
            ranks->lead(points, threads, compute, keep);
          else
            compute_in_threads(points, threads, compute, keep);
        },
        [&](std::size_t settled) { progress.advance(settled); });
  }
  if (result.plans.empty()) throw Infeasible(job.path + ": " + result.refusal);
  PlanReport report = report_of(job, std::move(result), evaluator.layers(), arguments.top);
  for (std::size_t i = 0; i < std::min<std::size_t>(job.replay, report.plans.size()); ++i)
    report.plans[i].replayed = replayed(evaluator.layers(), report.plans[i].plan.layout);
  if (!arguments.write.empty()) write_experiments(report, arguments.write);
  std::cout << (arguments.json ? plans_json(report) : plans_text(report));
  return 0;
}

// A rank other than the first: what cannot be read is said by the first.
int follow(RankedJob& ranks, const PlanArguments& arguments) {
  std::optional<PlanJob> job;
  std::vector<PlanLayout> layouts;
  std::exception_ptr unreadable;
  try {
    job = read_plan_job(arguments.job);
    layouts = legal_layouts(*job);
  } catch (...) {
    unreadable = std::current_exception();
  }
  std::optional<LayoutEvaluator> evaluator;
  if (job) evaluator.emplace(*job, layouts);
  const Compute compute = [&](std::size_t point) {
    if (unreadable) std::rethrow_exception(unreadable);
    return (*evaluator)(point);
  };
  try {
    while (ranks.follow(threads_of(arguments, true), compute)) {
    }
  } catch (const Interrupted&) {
  }
  return 0;
}

int plan_job(const PlanArguments& arguments) {
  if (!is_launched_on_ranks()) return lead(read_plan_job(arguments.job), nullptr, arguments);
  RankedJob ranks;
  if (!ranks.is_first()) return follow(ranks, arguments);
  return lead(read_plan_job(arguments.job), &ranks, arguments);
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
  command->add_option("--write", arguments->write, "folder for each plan as an experiment");
  command->add_flag("--json", arguments->json, "print the plans as JSON, experiments in them");
  command->add_flag("--quiet", arguments->quiet, "no progress");
  command->footer("Example: spillway plan workloads/jobs/qwen2-vl-72b.json");
  command->callback([arguments, &status] {
    try {
      status = plan_job(*arguments);
    } catch (const Interrupted&) {
      std::cerr << "interrupted\n";
      status = kInterruptedPlan;
    }
  });
}

}  // namespace spillway
