// Finds the best layouts for a job, on this machine or on the ranks of an MPI job.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/experiment_input.h"
#include "api/plan_job.h"
#include "base/files.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/sweep_progress.h"
#include "search/answer/plan_figures.h"
#include "sweep/plot/scatter.h"
#include "sweep/run/ranks.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

struct PlanOptions {
  PlanArguments arguments;
  std::string plot;                         // picture of the evaluated layouts; empty: none
  std::string write;                        // folder for one experiment per plan; empty: none
  std::optional<std::string> explain = {};  // a layout
  bool json = false;
  bool quiet = false;
};

std::string plan_file(std::size_t number) {
  return "plan-" + std::to_string(number) + ".json";
}

// Returns the number of a plan's file, or nothing for another name.
std::optional<std::size_t> plan_number(const std::string& name) {
  constexpr std::string_view before = "plan-", behind = ".json";
  if (!name.starts_with(before) || !name.ends_with(behind)) return std::nullopt;
  const auto number = number_from<std::size_t>(
      std::string_view(name).substr(before.size(), name.size() - before.size() - behind.size()));
  return number && plan_file(*number) == name ? number : std::nullopt;
}

// Drops the files of an earlier run with more plans, since they would look like plans of this run.
void drop_older(WholeFiles& files, std::size_t plans, const std::filesystem::path& folder) {
  if (!is_folder(folder)) return;
  for (const std::filesystem::path& path : entries_of(folder))
    if (const auto number = plan_number(path.filename().string());
        number && *number > plans && is_plain_file(path))
      files.drop(path);
}

void add_experiments(WholeFiles& files, const PlanAnswer& answer, const std::filesystem::path& folder) {
  const auto& plans = answer.report.plans;
  for (std::size_t i = 0; i < plans.size(); ++i)
    files.add(folder / plan_file(i + 1), [&](std::ostream& out) { out << plans[i].experiment; });
  drop_older(files, plans.size(), folder);
  add_page_file(files, folder, [&] { return plans_page_json(answer.report, answer.picture); });
}

void write_plan_files(const PlanOptions& options, const PlanAnswer& answer) {
  WholeFiles files;
  if (!options.plot.empty()) add_scatter(files, answer.picture, options.plot);
  if (!options.write.empty()) add_experiments(files, answer, options.write);
  files.put();
  if (!options.write.empty() && !options.quiet)
    std::cerr << "wrote an experiment of each plan and " << page_words() << " under " << options.write
              << '\n';
}

// The line of progress is complete when this returns or throws.
PlanAnswer planned(RankedJob* ranks, const PlanOptions& options) {
  SweepProgress progress(options.quiet, "layouts");
  return plan_job(options.arguments, ranks,
                  [&](std::size_t settled, std::size_t total) { progress.at(settled, total); });
}

// The line of progress is complete when this returns or throws.
LayoutAnswer explained(RankedJob* ranks, const PlanOptions& options) {
  SweepProgress progress(options.quiet, "layouts");
  return explain_layout_of_job(options.arguments, *options.explain, ranks,
                               [&](std::size_t settled, std::size_t total) { progress.at(settled, total); });
}

// A layout is explained without files of the plans.
int lead_explanation(RankedJob* ranks, const PlanOptions& options) {
  if (!options.plot.empty() || !options.write.empty())
    refuse_argument(options.plot.empty() ? "--write" : "--plot", "no such option beside --explain",
                    '"' + (options.plot.empty() ? options.write : options.plot) + '"');
  const LayoutAnswer answer = explained(ranks, options);
  std::cout << (options.json ? answer.json() : answer.text());
  return 0;
}

int lead_plan(RankedJob* ranks, const PlanOptions& options) {
  if (options.explain) return lead_explanation(ranks, options);
  if (!options.plot.empty() && !picture_format(options.plot))
    refuse_argument("--plot", "a file that ends in .svg or .png", '"' + options.plot + '"');
  const PlanAnswer answer = planned(ranks, options);
  write_plan_files(options, answer);
  std::cout << (options.json ? plans_json(answer.report) : plans_text(answer.report));
  return 0;
}

int plan_on(RankedJob* ranks, const PlanOptions& options) try {
  return lead_plan(ranks, options);
} catch (const InterruptedPlan& end) {
  if (end.store)
    std::cerr << end.kept << " evaluated layouts are stored in " << *end.store
              << "; continue with --resume\n";
  std::cerr << "interrupted\n";
  return kInterrupted;
}

int print_plans(const PlanOptions& options) {
  if (!is_launched_on_ranks()) return plan_on(nullptr, options);
  RankedJob ranks;
  if (ranks.is_first()) return plan_on(&ranks, options);
  follow_plan(ranks, options.arguments);
  return 0;
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto options = std::make_shared<PlanOptions>();
  PlanArguments& arguments = options->arguments;
  CLI::App* command = app.add_subcommand("plan",
                                         "rank the layouts, schedules and clusters for a training job; plans "
                                         "too close to be told apart are marked as ties");
  command->add_option("JOB", arguments.source.file, "job file (spillway/plan/1, see spillway schema plan)")
      ->required();
  command->add_option("--top", arguments.top, "number of choices to show")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--jobs", arguments.jobs, "number of threads (default: one per core)")
      ->check(CLI::Range(1U, 1024U));
  command->add_option("--out", arguments.out, "store the evaluated layouts in this SQLite file");
  command->add_flag("--resume", arguments.resume,
                    "continue an interrupted search from its store; start one if the file does not exist");
  command->add_option("--framework", arguments.framework,
                      "plan only this one of the frameworks of the job's clusters");
  command->add_flag("--launchable", arguments.launchable,
                    "leave out layouts for which no launch of their framework is written");
  command->add_flag("--all", arguments.all,
                    "search also the legal layouts that are left out by sense, such as one replica of many "
                    "pipeline ranks");
  command->add_option("--plot", options->plot,
                      "draw time against cost of the evaluated layouts into this .svg or .png file");
  command->add_option("--write", options->write, "folder for report.html and one experiment file per plan");
  command->add_option("--explain", options->explain,
                      "say why this layout was not chosen, and show it beside the best: an experiment file, "
                      "or a text such as \"P=2 TP=4 R=2 mb=1 1f1b recompute=none zero1\"");
  command->add_flag("--json", options->json, "print the plans, with their experiments, as one JSON document");
  command->add_flag("--quiet", options->quiet, "do not show progress");
  command->footer(
      "Example: spillway plan workloads/jobs/qwen2-vl-72b.json\n"
      "Example: spillway plan workloads/jobs/llama-3-8b.json --explain \"P=2 TP=4 R=2 1f1b zero1\"");
  command->callback([options, &status] { status = print_plans(*options); });
}

}  // namespace spillway
