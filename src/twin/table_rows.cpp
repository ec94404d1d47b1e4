#include "twin/table_rows.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace spillway {
namespace {

// Rows that are none are refused later, all at once.
bool has_idle_patches(const MeasuredRow& row, const Experiment& experiment) {
  if (row.patches.empty()) return false;
  Findings findings;
  const auto read = measured_passes({row}, experiment.model, *on_platform(experiment.costs), findings);
  return findings.empty() && !read->passes.empty() && read->passes.front().sizes.front().patches.empty();
}

}  // namespace

TraceRows table_rows(const std::string& file, const Experiment& experiment) {
  TraceRows read{read_measured_csv(file, Files()), {}, {}};
  const auto idle = std::ranges::count_if(
      read.rows, [&](const MeasuredRow& row) { return has_idle_patches(row, experiment); });
  if (idle > 0)
    read.notes.push_back("the patches of " + counted(static_cast<std::size_t>(idle), "row") +
                         " change nothing there, since their layers read tokens alone");
  return read;
}

}  // namespace spillway
