#include "sweep/table/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "memory/memory_text.h"
#include "words/duration_text.h"
#include "words/wording.h"

namespace spillway {

namespace {

const SweepRow& baseline_of(const std::vector<SweepRow>& rows) {
  return *std::find_if(rows.begin(), rows.end(), [](const SweepRow& row) { return row.is_baseline; });
}

}  // namespace

SweepSummary::Schedule& SweepSummary::schedule(const std::string& name) {
  const auto found =
      std::find_if(schedules_.begin(), schedules_.end(), [&](const Schedule& s) { return s.name == name; });
  if (found != schedules_.end()) return *found;
  schedules_.emplace_back().name = name;
  return schedules_.back();
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
  add_warnings(values, outcome->warnings);
  const Work work = work_of(*outcome);
  least_work_ = evaluated_ == 1 ? work.amount : std::min(least_work_, work.amount);
  most_work_ = std::max(most_work_, work.amount);
  const std::vector<SweepRow> rows = sweep_rows(heading_, values, *outcome);
  const bool baseline_fits = baseline_of(rows).fits != false;
  for (const SweepRow& row : rows) {
    schedule(row.schedule).unranked = row.unranked;
    if (!row.fits && outcome->memory_limit) ++schedule(row.schedule).not_judged;
    row.fits == false ? add_misfit(row, outcome->memory_limit) : add_row(row, work, baseline_fits);
  }
}

SweepSummary::Work SweepSummary::work_of(const PointOutcome& outcome) {
  if (outcome.accounts.empty()) return {static_cast<double>(outcome.microbatches), false};
  std::vector<double> tokens;
  for (const StepAccount& account : outcome.accounts) tokens.push_back(account.useful_tokens);
  return {mean_of(std::move(tokens)), true};
}

void SweepSummary::add_row(const SweepRow& row, const Work& work, bool baseline_fits) {
  Schedule& kept = schedule(row.schedule);
  ++kept.fitting;
  const auto makespan = row[SweepFigure::MakespanMean], speedup = row[SweepFigure::SpeedupMean];
  if (makespan) {
    Fastest here{Seconds(*makespan), work, row.values};
    if (!kept.shortest || here.per_work() < kept.shortest->per_work())
      kept.shortest = std::move(here), kept.evidence = row.evidence;
  }
  if (row.is_baseline) return;
  if (!baseline_fits) {
    ++kept.without_baseline;
    return;
  }
  if (speedup && (!kept.fastest || *speedup > kept.fastest->figure)) kept.fastest = {*speedup, row.values};
  const auto difference = row[SweepFigure::DifferenceMean];
  if (!difference) return;
  const bool decided = std::abs(*difference) > row[SweepFigure::DifferenceInterval].value_or(0);
  ++(!decided ? kept.undecided : *difference < 0 ? kept.faster : kept.slower);
}

void SweepSummary::add_misfit(const SweepRow& row, std::optional<Bytes> limit) {
  Schedule& kept = schedule(row.schedule);
  ++kept.not_fitting;
  const double peak = *row[SweepFigure::PeakMemory];
  if (kept.least_memory && kept.least_memory->figure <= peak) return;
  kept.least_memory = {peak, row.values};
  kept.limit = limit;
}

void SweepSummary::add_warnings(const std::vector<std::string>& values,
                                const std::vector<Warning>& warnings) {
  for (const Warning& warning : warnings) {
    auto known = std::find_if(warned_.begin(), warned_.end(),
                              [&](const Warned& other) { return other.first.code == warning.code; });
    if (known == warned_.end()) known = warned_.insert(known, {warning, values});
    ++known->points;
  }
}

std::string SweepSummary::place(const std::vector<std::string>& values) const {
  return place_text(heading_, values);
}

std::string SweepSummary::comparison(const Schedule& s) const {
  std::string text;
  if (s.fastest)
    text += fmt::format(
        "; largest speedup {:.4g} at {}; faster than the baseline in {}, slower in {}, undecided in {}",
        s.fastest->figure, place(s.fastest->values), counted(s.faster, "point"), s.slower, s.undecided);
  if (s.without_baseline > 0)
    text += fmt::format("; fits in {} where the baseline does not", counted(s.without_baseline, "point"));
  return text;
}

std::string SweepSummary::misfits(const Schedule& s) const {
  if (s.not_fitting == 0) return {};
  const std::string where = s.fitting > 0 ? "; does not fit in " + counted(s.not_fitting, "point")
                                          : "fits in none of " + counted(s.not_fitting, "point");
  return fmt::format("{}: needs {} of {} or more, the least at {}", where,
                     bytes_text(Bytes(s.least_memory->figure)), bytes_text(*s.limit),
                     place(s.least_memory->values));
}

// If batches differ, steps are compared by the time for the same work.
std::string SweepSummary::shortest(const Fastest& fastest) const {
  const std::string step = duration_text(fastest.step), at = place(fastest.values);
  if (most_work_ - least_work_ <= 1e-9 * most_work_) return fmt::format("shortest step {} at {}", step, at);
  if (fastest.work.is_tokens)
    return fmt::format("least time for 1e12 useful tokens {:.4g} s, in steps of {}, at {}",
                       1e12 * fastest.per_work(), step, at);
  return fmt::format("least time for a microbatch {}, in steps of {}, at {}",
                     duration_text(Seconds(fastest.per_work())), step, at);
}

std::string SweepSummary::line(const Schedule& s) const {
  std::string text;
  if (s.shortest) text += shortest(*s.shortest);
  if (s.evidence) text += fmt::format(" (evidence: {})", to_string(*s.evidence));
  text += comparison(s) + misfits(s);
  if (s.not_judged > 0) text += fmt::format("; memory unknown in {}", counted(s.not_judged, "point"));
  return text;
}

std::string SweepSummary::text(std::size_t columns) const {
  std::string counts = counted(evaluated_, "point") + " evaluated";
  if (refused_ > 0) counts += fmt::format(", {} refused", refused_);
  if (unfinished_ > 0) counts += fmt::format(", {} not finished", unfinished_);
  std::string text = wrapped("", heading_.name + ": " + counts, columns);
  if (refused_ > 0) text += wrapped("  first refusal  ", first_refusal_, columns);
  for (const Schedule& s : schedules_)
    text += wrapped("  " + marked(s.name, s.unranked) + "  ", line(s), columns);
  for (const Schedule& s : schedules_) text += unranked_line(s.name, s.unranked, columns);
  for (const Warned& w : warned_)
    text += wrapped(
        "warning: ",
        fmt::format("in {}, first at {}: {}", counted(w.points, "point"), place(w.values), w.first.text),
        columns);
  return text;
}

}  // namespace spillway
