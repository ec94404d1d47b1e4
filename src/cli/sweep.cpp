// Runs a sweep into its store, on this machine or on the ranks of an MPI job.
#include "api/sweep.h"

#include <cstddef>
#include <iostream>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/sweep_options.h"
#include "cli/sweep_progress.h"
#include "evaluate/balanced_reference.h"
#include "report/step/text.h"
#include "sweep/grid/file.h"
#include "sweep/run/ranks.h"
#include "sweep/store/result_store.h"
#include "sweep/table/ranking.h"
#include "sweep/table/summary.h"
#include "warn/warnings.h"
#include "words/wording.h"

namespace spillway {
namespace {

// Returns the first possible point's experiment, or nothing if all are refused.
std::optional<Experiment> first_experiment(const SweepFile& file) {
  for (std::size_t point = 0; point < file.points(); ++point) {
    try {
      return file.experiment(point);
    } catch (const InputError&) {
    }
  }
  return std::nullopt;
}

// A fit gives a step its target at every point, whatever the axes change.
std::string provenance(const SweepFile& file, std::size_t columns) {
  const std::optional<Experiment> experiment = first_experiment(file);
  if (!experiment) return "";
  std::string text;
  for (const FitSpec& fit : experiment->fits)
    text += wrapped(
        "fitted:  ",
        fit.pointer + " again at each point, so that the step of " +
            experiment->schedules[fit.schedule].name +
            " has the same target at all of them; write \"set\": { \"/fit\": [] } to keep the stated value",
        columns);
  if (!missing_references(*experiment).empty())
    text += wrapped(
        "compared: ",
        "no balanced pipeline is among the schedules, so transposed schedules have no reference; to add one, "
        "write { \"name\": \"balanced\", \"schedule\": \"1f1b\", \"split\": \"balanced\" } in schedules",
        columns);
  for (const std::string& assumption : experiment->assumptions)
    text += wrapped("assumed: ", assumption, columns);
  for (const Warning& warning : warnings_of(file.idle_keys()))
    text += wrapped("warning: ", warning.text, columns);
  return text;
}

std::string what_next(const std::string& store, std::size_t computed, std::size_t missing) {
  const std::string results = counted(computed, "point") + " computed in this run; results are in " + store;
  if (missing == 0)
    return results + "; print them with spillway sweep export, draw them with spillway sweep plot";
  return results + ", but lack " + counted(missing, "point") +
         " of other shards; join the stores of all shards with spillway sweep merge";
}

// Prints a summary of the results, the assumptions, the number of points that this run computed, and what to
// do with the store.
void print_sweep_end(std::ostream& out, const SweepFile& file, const ResultStore& store,
                     std::size_t computed) {
  const std::size_t columns = terminal_style().columns;
  SweepSummary summary(store.heading());
  SweepRanking ranking(store.heading());
  std::size_t missing = 0;
  store.for_each([&](const GridPoint& point, const std::optional<PointOutcome>& outcome) {
    summary.add(point.values, pointer_to(outcome));
    ranking.add(point.values, pointer_to(outcome));
    missing += !outcome;
  });
  out << summary.text(columns) << ranking.text(columns);
  out << provenance(file, columns);
  out << wrapped("", what_next(store.path(), computed, missing), columns) << std::flush;
}

// The line of progress is complete when this returns or throws.
SweepAnswer swept(RankedJob* job, const SweepOptions& options) {
  SweepProgress progress(options.quiet);
  return sweep(options.arguments, job,
               [&](std::size_t done, std::size_t total) { progress.at(done, total); });
}

int lead_sweep(RankedJob* job, const SweepOptions& options) {
  const auto [file, store, end] = swept(job, options);
  if (end.interrupted) {
    std::cerr << end.done << " of " << end.points << " points are stored in " << store.path()
              << "; continue with --resume\n";
    return kInterrupted;
  }
  if (!options.quiet) print_sweep_end(std::cout, file, store, end.computed);
  return 0;
}

}  // namespace

int run_sweep(const SweepOptions& options) {
  if (!is_launched_on_ranks()) return lead_sweep(nullptr, options);
  RankedJob job;
  if (job.is_first()) return lead_sweep(&job, options);
  follow_sweep(job, options.arguments);
  return 0;
}

}  // namespace spillway
