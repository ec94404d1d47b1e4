#include "report/step/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "memory/memory_text.h"
#include "report/step/baselines.h"
#include "report/words/duration_text.h"
#include "report/words/spread.h"

namespace spillway {
namespace {

constexpr double kNamedShare = 0.1;     // evidence of less of the time is left to the tables
constexpr double kShownRatio = 0.0005;  // what three decimals show

// The quickest of the experiment's schedules but for `left_out`; null where there is none.
template <class LeftOut>
const ScheduleResult* quickest(const Evaluation& evaluation, LeftOut left_out) {
  const ScheduleResult* best = nullptr;
  for (const ScheduleResult& schedule : evaluation.schedules)
    if (!left_out(schedule) && (!best || mean_makespan(schedule) < mean_makespan(*best))) best = &schedule;
  return best;
}

const ScheduleResult* quickest_that_fits(const Evaluation& evaluation, const ScheduleResult* but = nullptr) {
  return quickest(evaluation, [&](const ScheduleResult& schedule) {
    return &schedule == but || fits(evaluation, schedule) == false;
  });
}

std::string ratio_text(const Spread& ratio, const char* words, const std::string& rival, bool drawn) {
  const std::string name = words + (' ' + rival);
  const std::string range =
      drawn ? fmt::format(" [{:.3f}, {:.3f}]", ratio.mean - ratio.ci95, ratio.mean + ratio.ci95) : "";
  return fmt::format("{:.3f}x {}{}", ratio.mean, name, range);
}

// "1.111x quicker than balanced [1.105, 1.117]"
std::string held_against(const Evaluation& evaluation, const ScheduleResult& rival,
                         const ScheduleResult& winner) {
  const Spread ratio = spread(speedups_over(rival, winner));
  const bool told_apart = std::abs(ratio.mean - 1) >= std::max(kShownRatio, ratio.ci95);
  const char* words = !told_apart ? "as quick as" : ratio.mean > 1 ? "quicker than" : "the speed of";
  const std::string name = shown_name(evaluation, rival);
  const bool drawn = winner.draws.size() > 1;
  if (!told_apart && !drawn) return fmt::format("{} {}", words, name);
  return ratio_text(ratio, words, name, drawn);
}

// ", 1.111x quicker than balanced [1.105, 1.117], the quickest plain pipeline, and ..."
std::string comparisons(const Evaluation& evaluation, const ScheduleResult& winner) {
  const ScheduleResult* plain = winner.beside ? quickest_plain(evaluation) : nullptr;
  const ScheduleResult* rival = plain ? plain : quickest_that_fits(evaluation, &winner);
  const ScheduleResult* baseline = &evaluation.schedules[evaluation.baseline];
  std::string text;
  if (rival && rival != &winner) text = ", " + held_against(evaluation, *rival, winner);
  if (rival && rival == plain) text += ", the quickest plain pipeline";
  if (baseline != &winner && baseline != rival)
    text += (text.empty() ? ", " : ", and ") + held_against(evaluation, *baseline, winner);
  return text;
}

std::string memory_words(const Evaluation& evaluation, const ScheduleResult& winner) {
  const std::optional<bool> fit = fits(evaluation, winner);
  if (fit == true) return "; fits " + bytes_text(evaluation.memory_limit->bytes);
  const std::optional<WorstPeak> worst = worst_peak(winner);
  if (fit == false)
    return fmt::format("; does not fit: {} of {}", bytes_text(worst->peak.parts.total()),
                       bytes_text(evaluation.memory_limit->bytes));
  return worst ? "; holds up to " + bytes_text(worst->peak.parts.total()) : "; memory not known";
}

// What would be quicker if it fitted.
std::string misfits(const Evaluation& evaluation, const ScheduleResult& winner) {
  std::string names;
  for (const ScheduleResult& schedule : evaluation.schedules)
    if (fits(evaluation, schedule) == false && mean_makespan(schedule) < mean_makespan(winner))
      names += (names.empty() ? "" : ", ") + schedule.name;
  return names.empty() ? "" : "; quicker, but too large: " + names;
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
    text += fmt::format("{} {} {:.0f} %", text.empty() ? "; evidence:" : ",", to_string(kind), 100 * share);
  return text;
}

}  // namespace

std::string verdict(const Evaluation& evaluation) {
  const ScheduleResult* fitting = quickest_that_fits(evaluation);
  const ScheduleResult& winner =
      fitting ? *fitting : *quickest(evaluation, [](const ScheduleResult&) { return false; });
  return fmt::format("{} takes {} a step{}{}{}{}", winner.name, duration_text(mean_makespan(winner)),
                     comparisons(evaluation, winner), memory_words(evaluation, winner),
                     fitting ? misfits(evaluation, winner) : "", evidence_words(winner));
}

}  // namespace spillway
