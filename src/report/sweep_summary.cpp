#include "report/sweep_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/duration_text.h"
#include "report/sweep_axis.h"
#include "report/wording.h"

namespace spillway {

SweepSummary::Schedule& SweepSummary::schedule(const std::string& name) {
  const auto found =
      std::find_if(schedules_.begin(), schedules_.end(), [&](const Schedule& s) { return s.name == name; });
  return found != schedules_.end() ? *found : schedules_.emplace_back(Schedule{name, {}, {}});
}

void SweepSummary::add(const std::vector<std::string>& values, const PointOutcome* outcome) {
  if (!outcome) {
    ++unfinished_;
    return;
  }
  if (!outcome->refusal.empty()) {
    if (refused_++ == 0)
      first_refusal_ = place(values) + ": " + outcome->refusal.substr(0, outcome->refusal.find('\n'));
    return;
  }
  ++evaluated_;
  for (const SweepRow& row : sweep_rows(heading_, values, *outcome)) add_row(row);
}

void SweepSummary::add_row(const SweepRow& row) {
  Schedule& kept = schedule(row.schedule);
  const auto makespan = row[SweepFigure::MakespanMean], speedup = row[SweepFigure::SpeedupMean];
  if (makespan && (!kept.shortest || *makespan < kept.shortest->figure))
    kept.shortest = {*makespan, row.values};
  if (row.is_baseline) return;
  if (speedup && (!kept.fastest || *speedup > kept.fastest->figure)) kept.fastest = {*speedup, row.values};
  const auto difference = row[SweepFigure::DifferenceMean];
  if (!difference) return;
  const bool decided = std::abs(*difference) > row[SweepFigure::DifferenceInterval].value_or(0);
  ++(!decided ? kept.undecided : *difference < 0 ? kept.faster : kept.slower);
}

// "pipeline ranks 4, pipeline microbatches 8".
std::string SweepSummary::place(const std::vector<std::string>& values) const {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i > 0 ? ", " : "") + axis_label(heading_.axes[i]) + ' ' + axis_text(values[i]);
  return text.empty() ? "the only point" : text;
}

std::string SweepSummary::line(const Schedule& s) const {
  std::string text;
  if (s.shortest)
    text += fmt::format("shortest step {} at {}", duration_text(Seconds(s.shortest->figure)),
                        place(s.shortest->values));
  if (s.fastest)
    text += fmt::format(
        "; largest speedup {:.4g} at {}; faster than the baseline in {}, slower in {}, undecided in {}",
        s.fastest->figure, place(s.fastest->values), counted(s.faster, "point"), s.slower, s.undecided);
  return text;
}

std::string SweepSummary::text(std::size_t columns) const {
  std::string counts = counted(evaluated_, "point") + " evaluated";
  if (refused_ > 0) counts += fmt::format(", {} refused", refused_);
  if (unfinished_ > 0) counts += fmt::format(", {} not finished", unfinished_);
  std::string text = wrapped("", heading_.name + ": " + counts, columns);
  if (refused_ > 0) text += wrapped("  first refusal  ", first_refusal_, columns);
  for (const Schedule& s : schedules_) text += wrapped("  " + s.name + "  ", line(s), columns);
  return text;
}

}  // namespace spillway
