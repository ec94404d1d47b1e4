#include "compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "compare/changes.h"
#include "compare/pairing.h"
#include "compare/parts.h"
#include "compare/read_sides.h"
#include "warn/warnings.h"
#include "words/spread.h"

namespace spillway {
namespace {

std::vector<Difference> configuration(const Side& a, const Side& b) {
  if (a.document && b.document) return differences(*a.document, *b.document, HeldAgainst::NamedFilesToo);
  const bool common = is_trace(a) || is_trace(b);
  return differences(a.stated, b.stated, common ? HeldAgainst::Common : HeldAgainst::Everything);
}

std::optional<double> interval(const SideFigure& a, const SideFigure& b) {
  if (a.by_draw.size() != b.by_draw.size() || a.by_draw.size() < 2) return std::nullopt;
  std::vector<double> differences;
  for (std::size_t draw = 0; draw < a.by_draw.size(); ++draw)
    differences.push_back(b.by_draw[draw] - a.by_draw[draw]);
  return spread(std::move(differences)).ci95;
}

std::vector<ComparedFigure> figures_of(const SidePair& pair, bool paired) {
  std::vector<ComparedFigure> figures;
  for (const SideFigure& a : pair.a->figures)
    for (const SideFigure& b : pair.b->figures)
      if (a.key == b.key)
        figures.push_back({a.key, a.value, b.value, paired ? interval(a, b) : std::nullopt});
  return figures;
}

// A move counts as rounding if it is below kRoundingShare of the longer of the two steps.
std::vector<RankMove> moves_of(const SidePair& pair, Seconds longer) {
  std::vector<RankMove> moves;
  for (const RankTime& a : pair.a->ranks) moves.push_back({a.rank, a.what, a.time, Seconds()});
  for (const RankTime& b : pair.b->ranks) {
    const auto same = std::find_if(moves.begin(), moves.end(), [&](const RankMove& move) {
      return move.rank == b.rank && move.what == b.what;
    });
    if (same == moves.end())
      moves.push_back({b.rank, b.what, Seconds(), b.time});
    else
      same->b = b.time;
  }
  const auto size = [](const RankMove& move) { return std::abs((move.b - move.a).value()); };
  std::erase_if(moves, [&](const RankMove& move) { return size(move) <= kRoundingShare * longer.value(); });
  std::stable_sort(moves.begin(), moves.end(),
                   [&](const RankMove& a, const RankMove& b) { return size(a) > size(b); });
  return moves;
}

// Returns the texts of warnings whose code the other side does not have.
std::vector<std::string> warned_alone(const SideRun& run, const SideRun& other) {
  std::vector<std::string> texts;
  for (const Warning& warning : run.warnings)
    if (std::none_of(other.warnings.begin(), other.warnings.end(),
                     [&](const Warning& known) { return known.code == warning.code; }))
      texts.push_back(warning.text);
  return texts;
}

bool is_too_large(const SideRun& run) {
  return std::ranges::find(run.warnings, kDoesNotFit, &Warning::code) != run.warnings.end();
}

// A trace has no critical path, so an experiment compared with it is broken down by passes, too.
std::optional<Parts> parts_as(Decomposition decomposition, const SideRun& run) {
  const auto& known = run.parts[static_cast<std::size_t>(decomposition)];
  if (known || decomposition != Decomposition::Passes || !run.events) return known;
  return passes_parts(*run.events);
}

ScheduleComparison by_parts(const SidePair& pair) {
  for (const Decomposition decomposition :
       {Decomposition::CriticalPath, Decomposition::Passes, Decomposition::Ranks}) {
    const std::optional<Parts> a = parts_as(decomposition, *pair.a), b = parts_as(decomposition, *pair.b);
    if (!a || !b) continue;
    ScheduleComparison comparison{.name = pair.a->name,
                                  .other_name = pair.b->name,
                                  .decomposition = decomposition,
                                  .makespan = {"makespan_s", a->length.value(), b->length.value(), {}},
                                  .causes = {}};
    for (const Part& part : a->parts) comparison.causes.push_back({part.name, b->of(part.name) - part.time});
    return comparison;
  }
  throw ContractBreach("two sides have a decomposition in common");
}

// A trace covers a step only from its first pass to its last, so only that span is compared with an
// experiment.
void add_figures(const SidePair& pair, bool paired, ScheduleComparison& comparison) {
  comparison.figures = figures_of(pair, paired);
  if (comparison.decomposition == Decomposition::Passes)
    comparison.figures = {comparison.makespan};
  else
    comparison.makespan = comparison.figures.front();
}

ScheduleComparison compared(const SidePair& pair, bool paired) {
  ScheduleComparison comparison = by_parts(pair);
  add_figures(pair, paired, comparison);
  comparison.moves = moves_of(pair, Seconds(std::max(comparison.makespan.a, comparison.makespan.b)));
  comparison.warned_a = warned_alone(*pair.a, *pair.b);
  comparison.warned_b = warned_alone(*pair.b, *pair.a);
  comparison.too_large_a = is_too_large(*pair.a);
  comparison.too_large_b = is_too_large(*pair.b);
  comparison.aligned = pair.a->events && pair.b->events;
  if (comparison.aligned) comparison.first_divergence = first_divergence(*pair.a->events, *pair.b->events);
  return comparison;
}

void add_changes(const Side& a, const Side& b, const std::vector<SidePair>& pairs, Comparison& comparison) {
  if (!a.document || !b.document) return;
  std::vector<double> before;
  for (const ScheduleComparison& schedule : comparison.schedules) before.push_back(schedule.makespan.a);
  for (const ChangeStep& step : steps_between(a, b, comparison.configuration, pairs))
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      comparison.schedules[i].changes.push_back({step.pointers, step.makespans[i] - Seconds(before[i])});
      before[i] = step.makespans[i].value();
    }
}

}  // namespace

double ComparedFigure::relative() const {
  constexpr double kNothing = 1e-12;  // 1 ps for times; for shares, 1e-12
  const double larger = std::max(std::abs(a), std::abs(b));
  if (std::abs(difference()) <= std::max(kRoundingShare * larger, kNothing)) return 0;
  return a == 0 ? std::copysign(std::numeric_limits<double>::infinity(), b) : difference() / std::abs(a);
}

bool nothing_moved(const Comparison& comparison) {
  const auto still = [](const ScheduleComparison& schedule) {
    return !schedule.first_divergence && schedule.moves.empty() &&
           std::all_of(schedule.figures.begin(), schedule.figures.end(),
                       [](const ComparedFigure& figure) { return figure.relative() == 0; });
  };
  return comparison.configuration.empty() && comparison.only_a.empty() && comparison.only_b.empty() &&
         std::all_of(comparison.schedules.begin(), comparison.schedules.end(), still);
}

Comparison compare_files(const Source& first, const Source& second) {
  const auto [a, b] = read_sides(first, second);
  const std::vector<SidePair> pairs = pairs_of(a, b);
  Comparison comparison{.a = {a.file, a.kind},
                        .b = {b.file, b.kind},
                        .configuration = configuration(a, b),
                        .schedules = {},
                        .only_a = unpaired(a, pairs, &SidePair::a),
                        .only_b = unpaired(b, pairs, &SidePair::b),
                        .notes = notes_on(a, b)};
  for (const SidePair& pair : pairs) comparison.schedules.push_back(compared(pair, same_draws(a, b)));
  add_changes(a, b, pairs, comparison);
  return comparison;
}

}  // namespace spillway
