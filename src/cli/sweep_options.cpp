#include "cli/sweep_options.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"

namespace spillway {
namespace {

constexpr unsigned kMostJobs = 1024;

void add_sweep_export(CLI::App& sweep, int& status) {
  auto arguments = std::make_shared<SweepExportArguments>();
  CLI::App* command = sweep.add_subcommand("export", "print a store: a row for each point and schedule");
  command->add_option("STORE", arguments->store, "results of a sweep")->required();
  command->add_option(
      "--format", arguments->format,
      "csv, json, html: a page for a browser, or columns: name, unit and meaning of each column");
  command->footer("Example: spillway sweep export small.sqlite --format json");
  command->callback([arguments, &status] { status = sweep_export(*arguments); });
}

void add_sweep_merge(CLI::App& sweep, int& status) {
  auto arguments = std::make_shared<SweepMergeArguments>();
  CLI::App* command = sweep.add_subcommand("merge", "join the shards of a sweep");
  command->add_option("STORES", arguments->stores, "results of shards of one sweep")->required();
  command->add_option("--out", arguments->out, "the joined store, a new file")->required();
  command->footer("Example: spillway sweep merge --out all.sqlite part-0.sqlite part-1.sqlite");
  command->callback([arguments, &status] { status = sweep_merge(*arguments); });
}

void add_sweep_plot(CLI::App& sweep, int& status) {
  auto arguments = std::make_shared<SweepPlotArguments>();
  CLI::App* command = sweep.add_subcommand("plot", "draw a metric over one axis or two");
  command->add_option("STORE", arguments->store, "results of a sweep")->required();
  command->add_option("--x", arguments->x, "axis to the right: its pointer (default: the only one)");
  command->add_option("--y", arguments->y, "axis upward: a heat map");
  command->add_option("--series", arguments->series, "axis with a line for each value, of one schedule");
  command->add_option(
      "--metric", arguments->metric,
      "column of the export (default: speedup_mean; all: spillway sweep export STORE --format "
      "columns)");
  command
      ->add_option(
          "--schedule", arguments->schedules,
          "draw this schedule; may be repeated (default: all as lines, the first but the baseline as a "
          "heat map)")
      ->allow_extra_args(false);
  command->add_option("--at", arguments->at, "fix another axis: /pointer=value; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "the picture, .svg or .png")->required();
  command->footer("Example: spillway sweep plot small.sqlite --x /pipeline/microbatches --out small.svg");
  command->callback([arguments, &status] { status = sweep_plot(*arguments); });
}

}  // namespace

void add_sweep(CLI::App& app, int& status) {
  auto options = std::make_shared<SweepOptions>();
  SweepArguments& arguments = options->arguments;
  CLI::App* command = app.add_subcommand("sweep", "a grid of what-ifs, in a store that can be interrupted");
  CLI::Option* file =
      command->add_option("SWEEP", arguments.source.file, "sweep file (spillway schema sweep)");
  command->add_option("--out", arguments.out,
                      "the store, an SQLite file (default: named after SWEEP, in the current folder)");
  command->add_flag("--resume", arguments.resume,
                    "go on with the store, beside others that do so too; begin it where there is none");
  command->add_option("--shard", arguments.shard, "i/n: of n equal shares of the points the i-th, from 0");
  command
      ->add_option(
          "--jobs", arguments.jobs,
          "threads, and processes for SimGrid, at once (default: one for each core; under mpirun one "
          "for each rank)")
      ->check(CLI::Range(1U, kMostJobs));
  command->add_flag("--quiet", options->quiet, "no progress and no summary");
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
