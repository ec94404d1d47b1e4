#include "cli/sweep_options.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"

namespace spillway {
namespace {

constexpr unsigned kMostJobs = 1024;

void add_sweep_export(CLI::App& sweep, int& status) {
  auto arguments = std::make_shared<SweepExportArguments>();
  CLI::App* command =
      sweep.add_subcommand("export", "print the results in a store, one row per point and schedule");
  command->add_option("STORE", arguments->store, "store of a sweep (SQLite file)")->required();
  command->add_option(
      "--format", arguments->format,
      "csv, json, html (a page for a browser) or columns (name, unit and meaning of each column)");
  command->footer("Example: spillway sweep export small.sqlite --format json");
  command->callback([arguments, &status] { status = sweep_export(*arguments); });
}

void add_sweep_merge(CLI::App& sweep, int& status) {
  auto arguments = std::make_shared<SweepMergeArguments>();
  CLI::App* command = sweep.add_subcommand("merge", "join the stores of a sweep's shards");
  command->add_option("STORES", arguments->stores, "stores of the shards of one sweep")->required();
  command->add_option("--out", arguments->out, "new file for the joined store")->required();
  command->footer("Example: spillway sweep merge --out all.sqlite part-0.sqlite part-1.sqlite");
  command->callback([arguments, &status] { status = sweep_merge(*arguments); });
}

void add_sweep_plot(CLI::App& sweep, int& status) {
  auto arguments = std::make_shared<SweepPlotArguments>();
  CLI::App* command = sweep.add_subcommand("plot", "draw a metric over one or two axes");
  command->add_option("STORE", arguments->store, "store of a sweep (SQLite file)")->required();
  command->add_option("--x", arguments->x,
                      "horizontal axis, by its pointer (default: the sweep's only axis)");
  command->add_option("--y", arguments->y, "vertical axis, by its pointer; draws a heat map");
  command->add_option("--series", arguments->series,
                      "axis, by its pointer, whose values become lines; needs one --schedule");
  command->add_option("--metric", arguments->metric,
                      "column of the export to draw (default: speedup_mean); spillway sweep export STORE "
                      "--format columns lists all");
  command
      ->add_option("--schedule", arguments->schedules,
                   "draw this schedule; may be repeated (default: every schedule as lines; in a heat map the "
                   "first one that is not the baseline)")
      ->allow_extra_args(false);
  command
      ->add_option("--at", arguments->at,
                   "fix another axis to one of its values, as /pointer=value; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "file for the picture, .svg or .png")->required();
  command->footer("Example: spillway sweep plot small.sqlite --x /pipeline/microbatches --out small.svg");
  command->callback([arguments, &status] { status = sweep_plot(*arguments); });
}

}  // namespace

void add_sweep(CLI::App& app, int& status) {
  auto options = std::make_shared<SweepOptions>();
  SweepArguments& arguments = options->arguments;
  CLI::App* command = app.add_subcommand(
      "sweep", "evaluate a grid of experiments into a store; it can be interrupted and resumed");
  CLI::Option* file =
      command->add_option("SWEEP", arguments.source.file, "sweep file (spillway schema sweep)");
  command->add_option("--out", arguments.out,
                      "SQLite file for the results (default: named after SWEEP, in the current folder)");
  command->add_flag("--resume", arguments.resume,
                    "continue an interrupted sweep from its store, also while other processes do the same; "
                    "start one if the file does not exist");
  command->add_option("--shard", arguments.shard,
                      "i/n: evaluate only share i of n equal shares of the points; i counts from 0");
  command
      ->add_option(
          "--jobs", arguments.jobs,
          "number of threads, and of SimGrid processes (default: one per core; under mpirun one per rank)")
      ->check(CLI::Range(1U, kMostJobs));
  command->add_flag("--quiet", options->quiet, "print neither progress nor summary");
  command->require_subcommand(0, 1);
  command->footer(
      "Example: spillway sweep workloads/studies/small.json --out small.sqlite\n"
      "Example: spillway sweep workloads/studies/small.json --shard 0/4 --out part-0.sqlite\n"
      "Example: mpirun -n 8 spillway sweep workloads/studies/small.json --out small.sqlite");
  add_sweep_export(*command, status);
  add_sweep_merge(*command, status);
  add_sweep_plot(*command, status);
  command->parse_complete_callback([command, options, file, &status] {
    if (!command->get_subcommands().empty()) return;
    if (options->arguments.source.file.empty()) throw CLI::RequiredError(file->get_name());
    status = run_sweep(*options);
  });
}

}  // namespace spillway
