#include "sweep/table/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "evaluate/memory_limit.h"
#include "sweep/table/axis.h"
#include "words/spread.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr std::size_t kShown = 5;
constexpr double kTrillion = 1e12;

std::string evidence_text(std::optional<Evidence> evidence) {
  return evidence ? std::string("; evidence: ") + to_string(*evidence) : "";
}

// Both are by draw, on the same draws.
bool cannot_be_told_apart(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference(a.size());
  std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
  const Spread spread_of = spread(std::move(difference));
  return std::abs(spread_of.mean) <= spread_of.ci95;
}

}  // namespace

void SweepRanking::add(const std::vector<std::string>& values, const PointOutcome* outcome) {
  if (!outcome || outcome->accounts.empty()) return;
  for (const ScheduleOutcome& schedule : outcome->schedules) {
    const std::optional<bool> fit = fits(schedule.peak_memory, outcome->memory_limit);
    if (!schedule.unranked.empty())
      ++unranked_[schedule.name];
    else if (fit == false)
      ++not_fitting_;
    else if (!fit && outcome->memory_limit)
      ++without_memory_;
    else
      add_schedule(values, *outcome, schedule);
  }
}

void SweepRanking::add_schedule(const std::vector<std::string>& values, const PointOutcome& outcome,
                                const ScheduleOutcome& schedule) {
  const std::vector<double> makespans = reported_makespans(heading_, schedule);
  std::vector<double> seconds, dollars;
  for (std::size_t draw = 0; draw < makespans.size(); ++draw) {
    const Throughput of_draw = throughput(outcome.accounts[draw], Seconds(makespans[draw]));
    seconds.push_back(kTrillion / of_draw.useful_tokens_per_second);
    if (of_draw.cost) dollars.push_back(of_draw.cost->trillion_useful_tokens.value());
  }
  keep(fastest_, {seconds, spread(seconds).mean, schedule.name, values, schedule.evidence});
  if (dollars.empty())
    ++without_price_;
  else
    keep(cheapest_, {dollars, spread(dollars).mean, schedule.name, values, schedule.evidence});
}

// Among equal entries the earlier one stays first.
void SweepRanking::keep(Entries& entries, Entry entry) {
  if (!std::isfinite(entry.mean)) return;
  const auto behind = std::upper_bound(entries.begin(), entries.end(), entry.mean,
                                       [](double mean, const Entry& other) { return mean < other.mean; });
  entries.insert(behind, std::move(entry));
  if (entries.size() > kShown) entries.pop_back();
}

std::string SweepRanking::list(const Entries& entries, const char* title, const char* unit,
                               std::size_t columns) const {
  std::string text = wrapped("", title, columns);
  std::size_t first = 0;  // first entry of the group that cannot be told apart
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (!cannot_be_told_apart(entry.by_draw, entries[first].by_draw)) first = i;
    text += wrapped(fmt::format("  {}  ", first + 1),
                    fmt::format("{:.4g} {}  {} at {}{}", entry.mean, unit, entry.schedule,
                                place_text(heading_, entry.values), evidence_text(entry.evidence)),
                    columns);
  }
  return text;
}

std::string SweepRanking::text(std::size_t columns) const {
  if (fastest_.empty() && not_fitting_ + without_memory_ == 0 && unranked_.empty()) return {};
  std::string text;
  if (!cheapest_.empty()) text += list(cheapest_, "cheapest for 1e12 useful tokens:", "USD", columns);
  if (!fastest_.empty())
    text += list(fastest_, "fastest for 1e12 useful tokens, on all its devices:", "s", columns);
  if (!fastest_.empty())
    text += wrapped("  ",
                    "entries with the same number: the draws cannot tell them apart, since the 95 % interval "
                    "of the paired difference contains 0; the error of the model itself is not part of it",
                    columns);
  if (not_fitting_ > 0)
    text += wrapped("  ", fmt::format("left out: {} above the memory limit", counted(not_fitting_, "step")),
                    columns);
  if (without_memory_ > 0)
    text += wrapped("  ",
                    fmt::format("left out: {} too large to hold in memory, whose peak memory is unknown",
                                counted(without_memory_, "step")),
                    columns);
  for (const auto& [schedule, steps] : unranked_)
    text += wrapped("  ",
                    fmt::format("left out: {} of {}, which is not ranked", counted(steps, "step"), schedule),
                    columns);
  if (without_price_ > 0)
    text += wrapped("  ", fmt::format("without a price: {}", counted(without_price_, "step")), columns);
  return text;
}

}  // namespace spillway
