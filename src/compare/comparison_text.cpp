#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "compare/comparison_print.h"
#include "compare/verdict.h"
#include "memory/memory_text.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr std::size_t kMostValues = 20, kMostMoves = 12;
// One unit for all times, so that differences can be compared with the times themselves.
struct Scale {
  TimeUnit unit;
  Seconds of;

  std::string text(Seconds t) const { return number_text(t, unit, of); }
  std::string signed_text(Seconds t) const {
    const std::string number = text(t);
    return t > Seconds() ? '+' + number : number;
  }
};

Scale scale_of(const Comparison& comparison) {
  Seconds longest;
  for (const ScheduleComparison& schedule : comparison.schedules)
    longest = std::max(longest, Seconds(std::max(schedule.makespan.a, schedule.makespan.b)));
  return {unit_for(longest), longest};
}

std::string heading(std::string_view words) {
  return '\n' + wrapped("", words, kTableColumns);
}

// Texts for readers come last.
std::string configuration_table(std::vector<Difference> differences) {
  if (differences.empty()) return "";
  std::stable_partition(differences.begin(), differences.end(),
                        [](const Difference& difference) { return !is_for_readers(difference); });
  TableRows rows = {{"configuration", "A", "B"}};
  for (std::size_t i = 0; i < std::min(differences.size(), kMostValues); ++i)
    rows.push_back({differences[i].pointer, value_text(differences[i].a), value_text(differences[i].b)});
  std::string text = '\n' + table_text(rows);
  if (differences.size() > kMostValues)
    text += fmt::format("  and {} (--json has them all)\n",
                        counted(differences.size() - kMostValues, "more value"));
  return text;
}

// Returns the parts that differ for some schedule.
std::vector<std::string> moved_causes(const Comparison& comparison, Seconds scale) {
  std::vector<std::string> names;
  for (const ScheduleComparison& schedule : comparison.schedules)
    for (const Cause& cause : schedule.causes)
      if (std::abs(cause.difference.value()) > kRoundingShare * scale.value() &&
          std::ranges::find(names, cause.name) == names.end())
        names.push_back(cause.name);
  return names;
}

std::string_view cause_heading(Decomposition decomposition) {
  switch (decomposition) {
    case Decomposition::CriticalPath:
      return "the parts of the critical path";
    case Decomposition::Passes:
      return "a rank's time from its first pass to its last, mean over ranks";
    default:
      return "a rank's time, mean over ranks";
  }
}

std::string cause_table(const Comparison& comparison, const Scale& scale) {
  const std::vector<std::string> names = moved_causes(comparison, scale.of);
  TableRows rows = {{"makespan, " + std::string(scale.unit.name), "A", "B", "B - A"}};
  for (const std::string& name : names) rows.front().push_back(cause_text(name));
  for (const ScheduleComparison& schedule : comparison.schedules) {
    auto& row = rows.emplace_back();
    row = {name_text(schedule), scale.text(Seconds(schedule.makespan.a)),
           scale.text(Seconds(schedule.makespan.b)),
           scale.signed_text(Seconds(schedule.makespan.difference()))};
    for (const std::string& name : names)
      for (const Cause& cause : schedule.causes)
        if (cause.name == name) row.push_back(scale.signed_text(cause.difference));
    row.resize(rows.front().size(), "-");
  }
  const std::string words =
      "difference by cause: " + std::string(cause_heading(comparison.schedules.front().decomposition)) +
      ", B - A; a row adds up to the difference of the makespans";
  return (names.empty() ? "\n" : heading(words)) + table_text(rows);
}

std::string change_table(const Comparison& comparison, const Scale& scale) {
  const auto& changes = comparison.schedules.front().changes;
  if (changes.empty()) return "";
  TableRows rows = {{"B - A, " + std::string(scale.unit.name)}};
  for (const ScheduleComparison& schedule : comparison.schedules) rows.front().push_back(name_text(schedule));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    rows.push_back({pointers_text(changes[i].pointers)});
    for (const ScheduleComparison& schedule : comparison.schedules)
      rows.back().push_back(scale.signed_text(schedule.changes[i].difference));
  }
  return heading(
             "difference by change, applied to A one after another in this order; a column adds up to B - "
             "A") +
         table_text(rows);
}

std::string figure_text(const std::string& key, double value) {
  if (key == "makespan_s" || key == "max_spill_s" || key == "exposed_encoder_s")
    return duration_text(Seconds(value));
  return key == "peak_memory_bytes" ? bytes_text(Bytes(value)) : fmt::format("{:.5g}", value);
}

std::string percent_text(double share) {
  return std::isfinite(share) ? signed_percent(share, 2) : "from 0";
}

// The makespan has a table of its own, so this table shows it only for its interval.
bool is_shown(const ComparedFigure& figure) {
  if (figure.key == "makespan_s" && !figure.ci95) return false;
  return figure.relative() != 0;
}

std::string figure_table(const Comparison& comparison) {
  TableRows rows = {{"figure", "A", "B", "change", "95 %, +-"}};
  for (const ScheduleComparison& schedule : comparison.schedules)
    for (const ComparedFigure& figure : schedule.figures)
      if (is_shown(figure))
        rows.push_back({name_text(schedule) + ": " + figure.key, figure_text(figure.key, figure.a),
                        figure_text(figure.key, figure.b), percent_text(figure.relative()),
                        figure.ci95 ? figure_text(figure.key, *figure.ci95) : "-"});
  return rows.size() > 1 ? '\n' + table_text(rows) : "";
}

std::string move_table(const Comparison& comparison, const Scale& scale) {
  TableRows rows = {{"largest on ranks, " + std::string(scale.unit.name), "A", "B", "B - A"}};
  const std::size_t of_each = std::max<std::size_t>(1, kMostMoves / comparison.schedules.size());
  for (const ScheduleComparison& schedule : comparison.schedules)
    for (std::size_t i = 0; i < std::min(schedule.moves.size(), of_each); ++i) {
      const RankMove& move = schedule.moves[i];
      rows.push_back({fmt::format("{}: rank {}, {}", name_text(schedule), move.rank.index(), move.what),
                      scale.text(move.a), scale.text(move.b), scale.signed_text(move.b - move.a)});
    }
  return rows.size() > 1 ? '\n' + table_text(rows) : "";
}

std::string times_text(const std::optional<EventTimes>& times, char side) {
  if (!times) return fmt::format("not in {}", side);
  return fmt::format("in {} on rank {} from {} to {}", side, times->rank.index(), duration_text(times->start),
                     duration_text(times->end));
}

std::string divergence_lines(const Comparison& comparison) {
  std::string text;
  for (const ScheduleComparison& schedule : comparison.schedules) {
    if (!schedule.first_divergence) continue;
    const Divergence& at = *schedule.first_divergence;
    const std::string replica = at.replica.index() > 0 ? fmt::format(", replica {}", at.replica.index()) : "";
    text += wrapped("  first difference: ",
                    fmt::format("{}, {}{}: {}, {}", name_text(schedule), at.event, replica,
                                times_text(at.a, 'A'), times_text(at.b, 'B')),
                    kTableColumns);
  }
  return text.empty() ? "" : '\n' + text;
}

std::string condition_lines(const std::vector<ConditionOutcome>& conditions) {
  std::string text;
  for (const ConditionOutcome& outcome : conditions)
    text += wrapped(
        "  --fail-if: ",
        fmt::format("{}: {} of {}, {}", outcome.condition.text, outcome.holds ? "holds" : "does not hold",
                    outcome.schedule, percent_text(outcome.figure.relative())),
        kTableColumns);
  return text.empty() ? "" : '\n' + text;
}

std::string warning_lines_of(const Comparison& comparison) {
  std::string text;
  for (const ScheduleComparison& schedule : comparison.schedules)
    for (const auto& [side, warnings] :
         {std::pair("A", schedule.warned_a), std::pair("B", schedule.warned_b)})
      for (const std::string& warning : warnings)
        text += wrapped("  warning: ", fmt::format("only in {}, {}: {}", side, name_text(schedule), warning),
                        kTableColumns);
  return text.empty() ? "" : '\n' + text;
}

std::string note_lines(const Comparison& comparison) {
  std::string text;
  if (!comparison.only_a.empty()) text += wrapped("  only in A: ", joined(comparison.only_a), kTableColumns);
  if (!comparison.only_b.empty()) text += wrapped("  only in B: ", joined(comparison.only_b), kTableColumns);
  for (const std::string& note : comparison.notes) text += wrapped("  note: ", note, kTableColumns);
  return text.empty() ? "" : '\n' + text;
}

std::string sides_line(const Comparison& comparison) {
  return wrapped("  A: ", comparison.a.file + ", " + std::string(to_string(comparison.a.kind)),
                 kTableColumns) +
         wrapped("  B: ", comparison.b.file + ", " + std::string(to_string(comparison.b.kind)),
                 kTableColumns);
}

std::string verdicts(const Comparison& comparison) {
  const bool aligned = comparison.schedules.front().aligned;
  if (nothing_moved(comparison))
    return wrapped(
        "",
        std::string("no difference: A and B are the same in ") +
            (aligned ? "configuration and figures, event for event" : "everything that they state"),
        kTableColumns);
  std::string text;
  for (const ScheduleComparison& schedule : comparison.schedules)
    text += wrapped("", verdict(comparison, schedule), kTableColumns);
  return text;
}

}  // namespace

std::string verdict(const Comparison& comparison) {
  std::string text;
  for (const ScheduleComparison& schedule : comparison.schedules)
    text += (text.empty() ? "" : "\n") + verdict(comparison, schedule);
  return text.empty() ? "no schedule is in both" : text;
}

std::string comparison_text(const Comparison& comparison, const std::vector<ConditionOutcome>& conditions) {
  const Scale scale = scale_of(comparison);
  std::string text = verdicts(comparison) + sides_line(comparison);
  if (!nothing_moved(comparison))
    text += configuration_table(comparison.configuration) + cause_table(comparison, scale) +
            change_table(comparison, scale) + figure_table(comparison) + move_table(comparison, scale) +
            divergence_lines(comparison);
  return text + warning_lines_of(comparison) + note_lines(comparison) + condition_lines(conditions);
}

}  // namespace spillway
