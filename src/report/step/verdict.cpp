#include "report/step/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "memory/memory_text.h"
#include "report/step/baselines.h"
#include "words/duration_text.h"
#include "words/spread.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr double kNamedShare = 0.1;     // only tables show evidence with a smaller share of the time
constexpr double kShownRatio = 0.0005;  // the least difference from 1 that three decimals show

std::string ratio_text(const Spread& ratio, const char* words, const std::string& rival, bool drawn) {
  const std::string name = words + (' ' + rival);
  const std::string range =
      drawn ? fmt::format(" [{:.3f}, {:.3f}]", ratio.mean - ratio.ci95, ratio.mean + ratio.ci95) : "";
  return fmt::format("{:.3f}x {}{}", ratio.mean, name, range);
}

// Returns "1.111x faster than balanced [1.105, 1.117]", with the times of `rival` and the name of `named`.
std::string held_against(const Evaluation& evaluation, const ScheduleResult& named,
                         const ScheduleResult& rival, const ScheduleResult& winner) {
  const Spread ratio = spread(speedups_over(rival, winner));
  const bool told_apart = std::abs(ratio.mean - 1) >= std::max(kShownRatio, ratio.ci95);
  const char* words = !told_apart ? "as fast as" : ratio.mean > 1 ? "faster than" : "the speed of";
  const std::string name = marked(shown_name(evaluation, named), named.unranked);
  const bool drawn = winner.draws.size() > 1;
  if (!told_apart && !drawn) return fmt::format("{} {}", words, name);
  return ratio_text(ratio, words, name, drawn);
}

std::string held_against(const Evaluation& evaluation, const ScheduleResult& rival,
                         const ScheduleResult& winner) {
  return held_against(evaluation, rival, rival, winner);
}

// ", 1.111x faster than balanced [1.105, 1.117], the fastest plain pipeline, and ..."
std::string comparisons(const Evaluation& evaluation, const Headline& head) {
  std::string text;
  if (head.rival) text = ", " + held_against(evaluation, *head.rival, *head.winner);
  if (head.rival_is_plain) text += ", the fastest plain pipeline";
  if (head.baseline)
    text += (text.empty() ? ", " : ", and ") + held_against(evaluation, *head.baseline, *head.winner);
  return text;
}

// Returns "mpipe takes 13.98 s" for each schedule whose layers were split by count.
std::string by_cost_words(const Evaluation& evaluation) {
  std::string text;
  for (const SplitByCost& again : evaluation.by_cost) {
    const bool too_large = fits(evaluation, evaluation.schedules[again.schedule]) != false &&
                           fits(evaluation, again.result) == false;
    text += fmt::format("{}{} takes {}{}", text.empty() ? "" : ", ", again.result.name,
                        duration_text(mean_makespan(again.result)), too_large ? " and does not fit" : "");
  }
  return text;
}

// "; with layers split by time instead of by count, mpipe takes 13.98 s: mpipe is 1.144x faster than
// balanced, and ..."
std::string split_words(const Evaluation& evaluation) {
  const std::vector<SplitAlike> alike = split_alike(evaluation);
  if (alike.empty()) return {};
  std::string text;
  for (const SplitAlike& pair : alike)
    text += (text.empty() ? "" : ", and ") + held_against(evaluation, *pair.over, *pair.rival, *pair.winner);
  const std::string_view each =
      evaluation.by_cost.front().like == SplitRule::ByRegion ? " in each region" : "";
  return fmt::format("; with layers split by time{} instead of by count, {}: {} is {}", each,
                     by_cost_words(evaluation), alike.front().winner->name, text);
}

std::string memory_words(const Evaluation& evaluation, const ScheduleResult& winner) {
  const std::optional<bool> fit = fits(evaluation, winner);
  if (fit == true) return "; fits into " + bytes_text(evaluation.memory_limit->bytes);
  const std::optional<WorstPeak> worst = worst_peak(winner);
  if (fit == false)
    return fmt::format("; does not fit: it needs {} of {}", bytes_text(worst->peak.parts.total()),
                       bytes_text(evaluation.memory_limit->bytes));
  return worst ? "; peak memory " + bytes_text(worst->peak.parts.total()) : "; memory unknown";
}

// Names the ranked schedules that are faster than the winner but do not fit.
std::string misfits(const Evaluation& evaluation, const ScheduleResult& winner) {
  std::string names;
  for (const ScheduleResult& schedule : evaluation.schedules)
    if (fits(evaluation, schedule) == false && schedule.unranked.empty() &&
        mean_makespan(schedule) < mean_makespan(winner))
      names += (names.empty() ? "" : ", ") + schedule.name;
  return names.empty() ? "" : "; faster, but too large: " + names;
}

std::string evidence_words(const ScheduleResult& winner) {
  if (!winner.first.evidence) return "; durations as given";
  std::vector<std::pair<double, Evidence>> shares;
  for (std::size_t kind = 0; kind < kEvidenceKinds; ++kind)
    if (const double share = winner.first.evidence->share_of_time[kind]; share >= kNamedShare)
      shares.emplace_back(share, static_cast<Evidence>(kind));
  std::sort(shares.rbegin(), shares.rend());
  std::string text;
  for (const auto& [share, kind] : shares)
    text += fmt::format("{} {} {}", text.empty() ? "; evidence:" : ",", to_string(kind), percent(share, 0));
  return text;
}

// Names every known class of error that the figure leaves out.
std::string left_out_words(const Evaluation& evaluation, const ScheduleResult& winner) {
  std::string text;
  for (const std::vector<Warning>* warnings : {&evaluation.warnings, &winner.warnings})
    for (const Warning& warning : *warnings)
      if (!warning.headline.empty()) text += "; " + warning.headline;
  return text;
}

}  // namespace

std::string verdict(const Evaluation& evaluation) {
  const Headline head = headline(evaluation);
  const ScheduleResult& winner = *head.winner;
  const char* unranked = winner.unranked.empty() ? "" : ", which is not ranked,";
  return fmt::format("{}{} takes {} a step{}{}{}{}{}{}", winner.name, unranked,
                     duration_text(mean_makespan(winner)), comparisons(evaluation, head),
                     memory_words(evaluation, winner), head.fits ? misfits(evaluation, winner) : "",
                     split_words(evaluation), evidence_words(winner), left_out_words(evaluation, winner));
}

}  // namespace spillway
