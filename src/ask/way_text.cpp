#include "ask/way_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ask/trial_text.h"
#include "ask/why_text.h"
#include "base/text.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

// A share that is shown as 0.0 % is no cause.
constexpr double kShownShare = 5e-4;

std::string target_name(const ExplainedLayout& explained) {
  return explained.way->to_best ? "the best" : "plan 1";
}

// Returns how much dearer (+) or cheaper (-) the step's changes make the layout, as a share of the target's
// objective.
double change_by(const WayStep& step, const ExplainedLayout& explained) {
  return -step.saved / explained.target().value;
}

// "EP 8 instead of 64, R 32 with P 16 instead of 8, R 16"
std::string step_words(const WayStep& step, const PlanLayout& before) {
  std::vector<std::string> all;
  const PlanLayout* from = &before;
  for (const LayoutChange& change : step.changes) {
    all.push_back(change_words(change, *from));
    from = &change.layout;
  }
  return joined(all, " with ");
}

// Returns how much dearer or cheaper the step's change makes the layout if it is made alone.
std::string alone_cell(const WayStep& step, const ExplainedLayout& explained) {
  if (step.changes.size() > 1) return "-";
  const std::vector<TriedLayout>& alone = explained.way->alone;
  const auto own = std::ranges::find(alone, step.changes.front().key,
                                     [](const TriedLayout& one) { return one.change.key; });
  if (own == alone.end()) return "-";
  if (!own->trial.is_known()) return "not possible";
  const double share = (own->trial.value - explained.own.value) / explained.target().value;
  return signed_percent(share, 1) + (own->trial.fits == false ? ", no room" : "");
}

const char* objective_heading(const PlanJob& job) {
  return job.objective == Objective::Usd ? "cost" : "time";
}

std::string way_table(const AskedLayout& asked, const ExplainedLayout& explained) {
  TableRows rows = {{"from yours to " + target_name(explained) + ", one on top of another",
                     objective_heading(asked.job), "alone", "step", "GB", "fits"}};
  const auto add = [&](std::string words, std::string change, std::string alone, const LayoutTrial& trial) {
    rows.push_back({std::move(words), std::move(change), std::move(alone), duration_text(trial.step),
                    memory_cell(trial), fits_cell(trial)});
  };
  const double own = explained.own.value / explained.target().value - 1;
  add("yours", signed_percent(own, 1), "", explained.own);
  const PlanLayout* before = &explained.own.layout;
  for (const WayStep& step : explained.way->steps) {
    add(step_words(step, *before), signed_percent(change_by(step, explained), 1), alone_cell(step, explained),
        step.trial);
    before = &step.trial.layout;
  }
  return '\n' + table_text(rows);
}

// Without a step of the layout, each change alone, beside the target.
std::string alone_table(const AskedLayout& asked, const ExplainedLayout& explained) {
  const EvaluatedPlan& target = explained.target();
  TableRows rows = {
      {"one change towards " + target_name(explained), "step", objective_heading(asked.job), "GB", "fits"}};
  for (const TriedLayout& one : explained.way->alone)
    if (one.trial.is_known())
      rows.push_back({change_words(one.change, asked.layout), duration_text(one.trial.step),
                      signed_percent(one.trial.value / target.value - 1, 1), memory_cell(one.trial),
                      fits_cell(one.trial)});
  const auto& peak = target.outcome.schedules.front().peak_memory;
  rows.push_back({target_name(explained), duration_text(target.step), signed_percent(0, 1),
                  peak ? fmt::format("{:.1f}", peak->value() / 1e9) : "-", "yes"});
  return '\n' + table_text(rows);
}

std::string causes_line(const AskedLayout& asked, const ExplainedLayout& explained) {
  std::vector<std::string> causes;
  const PlanLayout* before = &explained.own.layout;
  for (const WayStep& step : explained.way->steps) {
    const double share = change_by(step, explained);
    if (std::abs(share) >= kShownShare)
      causes.push_back(step_words(step, *before) + ' ' + signed_percent(share, 1));
    before = &step.trial.layout;
  }
  const std::string whole =
      distance_text(asked.job, explained.own.value / explained.target().value - 1, target_name(explained));
  return wrapped("  causes: ", causes.empty() ? whole : whole + ": " + joined(causes, "; "), kTableColumns);
}

// The accounts of different layouts, with their names.
std::vector<std::pair<std::string, const TimeAccount*>> account_columns(const ExplainedLayout& explained) {
  std::vector<std::pair<std::string, const TimeAccount*>> columns;
  const auto add = [&](const char* name, const std::optional<TimeAccount>& account, bool is_other) {
    if (account && is_other) columns.emplace_back(name, &*account);
  };
  const RecommendedPlan& first = *explained.recommended;
  const PlanLayout& own = explained.own.layout;
  add("yours", explained.accounts.own, true);
  add("plan 1", explained.accounts.recommended, own != first.plan.layout);
  add("the best", explained.accounts.best, first.place > 1 && own != explained.best->layout);
  return columns;
}

}  // namespace

std::string way_text(const AskedLayout& asked, const ExplainedLayout& explained) {
  if (!explained.way) return "";
  const std::string impossible = impossible_lines(explained.way->alone, asked.layout);
  if (!explained.own.is_known()) return alone_table(asked, explained) + impossible;
  return causes_line(asked, explained) + way_table(asked, explained) + impossible;
}

std::string accounts_text(const ExplainedLayout& explained) {
  if (!explained.recommended) return "";
  const auto columns = account_columns(explained);
  if (columns.empty()) return "";
  Seconds longest;
  for (const auto& [name, account] : columns) longest = std::max(longest, account->step);
  const TimeUnit unit = unit_for(longest);
  TableRows rows = {{fmt::format("where the step goes, in {}", unit.name)}};
  for (const auto& [name, account] : columns) rows.front().push_back(name);
  const auto add = [&](const char* name, Seconds TimeAccount::*time) {
    rows.push_back({name});
    for (const auto& [column, account] : columns)
      rows.back().push_back(number_text(account->*time, unit, longest));
  };
  const auto takes_time = [&](const TimePart& part) {
    return std::ranges::any_of(
        columns, [&](const auto& column) { return column.second->*part.time > longest * kShownShare; });
  };
  for (const TimePart& part : kTimeParts)
    if (part.on_path && takes_time(part)) add(part.name, part.time);
  add("the step, on its critical path", &TimeAccount::step);
  for (const TimePart& part : kTimeParts)
    if (!part.on_path && takes_time(part)) add(part.name, part.time);
  return '\n' + table_text(rows);
}

}  // namespace spillway
