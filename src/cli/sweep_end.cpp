#include "cli/sweep_end.h"

#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/stored_sweep.h"
#include "report/sweep_summary.h"
#include "report/text.h"
#include "report/wording.h"

namespace spillway {
namespace {

// Of the first point that can be.
std::vector<std::string> assumptions_of(const SweepFile& file) {
  for (std::size_t point = 0; point < file.points(); ++point) {
    try {
      return file.experiment(point).assumptions;
    } catch (const InputError&) {
    }
  }
  return {};
}

std::string what_next(const std::string& store, std::size_t computed, std::size_t missing) {
  const std::string results = counted(computed, "point") + " computed now; results in " + store;
  if (missing == 0) return results + ": spillway sweep export prints them, spillway sweep plot draws them";
  return results + ", without those of " + counted(missing, "point") +
         " of other shards: spillway sweep merge joins the stores of all of them";
}

}  // namespace

void print_sweep_end(std::ostream& out, const SweepFile& file, const ResultStore& store,
                     std::size_t computed) {
  const std::size_t columns = terminal_style().columns;
  SweepSummary summary(heading_of(store));
  std::size_t missing = 0;
  store.for_each([&](const GridPoint& point, const std::optional<PointOutcome>& outcome) {
    summary.add(point.values, pointer_to(outcome));
    missing += !outcome;
  });
  out << summary.text(columns);
  for (const std::string& assumption : assumptions_of(file)) out << wrapped("assumed: ", assumption, columns);
  out << wrapped("", what_next(store.path(), computed, missing), columns) << std::flush;
}

}  // namespace spillway
