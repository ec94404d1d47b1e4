#include "cli/sweep_end.h"

#include <optional>
#include <ostream>
#include <string>

#include "base/error.h"
#include "evaluate/balanced_reference.h"
#include "report/step/text.h"
#include "sweep/store/result_store.h"
#include "sweep/table/ranking.h"
#include "sweep/table/summary.h"
#include "warn/warnings.h"
#include "words/wording.h"

namespace spillway {
namespace {

// The first point that can be; none where the documents of all are refused.
std::optional<Experiment> first_experiment(const SweepFile& file) {
  for (std::size_t point = 0; point < file.points(); ++point) {
    try {
      return file.experiment(point);
    } catch (const InputError&) {
    }
  }
  return std::nullopt;
}

// A fit holds a step at its target at every point, whatever the axes do.
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

}  // namespace

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

}  // namespace spillway
