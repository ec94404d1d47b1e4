#include "search/answer/plans_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "json/word_of.h"
#include "search/answer/plan_decision.h"
#include "search/answer/plan_words.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/with_commas.h"
#include "words/wording.h"

namespace spillway {
namespace {

bool several_frameworks(const PlanJob& job) {
  return std::ranges::any_of(job.clusters, [&](const JobCluster& cluster) {
    return !cluster.is_bound && cluster.framework != job.clusters.front().framework;
  });
}

TableRows table_rows(const PlanReport& report) {
  const bool priced = report.job.has_prices, timed = report.job.tokens.has_value();
  TableRows rows = {{"plan",  "tie",    "cluster", "framework", "dev",      "P",         "TP",
                     "CP",    "EP",     "R",       "M x b",     "schedule", "recompute", "data",
                     "alike", "launch", "step",    "SimGrid",   "GB",       "left",      "MFU"}};
  if (priced) rows[0].push_back("USD/1e12");
  if (timed) rows[0].push_back("days");
  const bool fails = std::ranges::any_of(report.plans, [](const ShownPlan& one) { return !!one.goodput; });
  if (fails) rows[0].push_back("goodput");
  if (fails && timed) rows[0].push_back("with failures");
  for (const ShownPlan& shown : report.plans) {
    const PlanLayout& layout = shown.plan.layout;
    const ScheduleOutcome& outcome = shown.plan.outcome.schedules.front();
    const std::optional<double> left = headroom(shown.plan);
    std::vector<std::string> row = {
        std::to_string(rows.size()),
        std::to_string(shown.plan.tie),
        report.job.clusters[layout.cluster].platform().name,
        several_frameworks(report.job) ? report.job.clusters[layout.cluster].framework : "-",
        std::to_string(layout.devices),
        std::to_string(layout.ranks),
        std::to_string(layout.tensor),
        std::to_string(layout.context),
        std::to_string(layout.expert),
        std::to_string(layout.replicas),
        fmt::format("{}x{}", layout.microbatches, layout.microbatch),
        report.job.search.schedules[layout.schedule].name,
        std::string(word_of(kRecomputes, layout.recompute)),
        std::string(word_of(kDataParallels, layout.data)),
        std::to_string(shown.like.size()),
        shown.launch.launch ? std::string(launch_writer(*shown.launch.framework).title) : "no",
        duration_text(shown.plan.step),
        shown.replayed ? duration_text(*shown.replayed) : "-",
        outcome.peak_memory ? fmt::format("{:.1f}", outcome.peak_memory->value() / 1e9) : "-",
        left ? percent(*left, 1) : "-",
        percent(shown.mfu, 1)};
    if (priced)
      row.push_back(shown.trillion_useful_tokens ? usd_cell(shown.trillion_useful_tokens->value()) : "-");
    if (timed) row.push_back(shown.days ? fmt::format("{:.1f}", *shown.days) : "-");
    if (fails) row.push_back(shown.goodput ? percent(shown.goodput->share, 1) : "-");
    if (fails && timed)
      row.push_back(shown.goodput && shown.goodput->days ? fmt::format("{:.1f}", *shown.goodput->days) : "-");
    rows.push_back(std::move(row));
  }
  return rows;
}

// Leaves out columns that say nothing about any plan.
TableRows without_idle_columns(const TableRows& rows) {
  const auto is_idle = [&](std::size_t column) {
    const std::string& heading = rows.front()[column];
    const std::string idle = heading == "SimGrid" || heading == "framework" ? "-"
                             : heading == "CP" || heading == "EP"           ? "1"
                                                                            : "";
    return !idle.empty() &&
           std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return row[column] == idle; });
  };
  TableRows kept(rows.size());
  for (std::size_t column = 0; column < rows.front().size(); ++column)
    if (!is_idle(column))
      for (std::size_t row = 0; row < rows.size(); ++row) kept[row].push_back(rows[row][column]);
  return kept;
}

// Returns "HEADING a, b" for the values that differ from the plan's, or nothing.
template <class Value, class Word>
std::string others_text(const ShownPlan& shown, const char* heading, Value PlanLayout::*value, Word word) {
  std::set<Value> others;
  for (const PlanLayout& layout : shown.like)
    if (layout.*value != shown.plan.layout.*value) others.insert(layout.*value);
  std::string text;
  for (const Value& other : others) add_to_list(text, std::string(word(other)));
  return text.empty() ? text : heading + text;
}

std::string difference_cell(const PlanReport& report, std::size_t plan) {
  return plan == 0 ? "-" : signed_percent(difference_of(report, report.plans[plan]).share, 1);
}

std::vector<std::string> best_row(const PlanReport& report, const ClusterBest& best) {
  const ShownPlan& plan = report.plans[best.plan];
  const PlanLayout& layout = plan.plan.layout;
  std::vector<std::string> row = {report.job.clusters[layout.cluster].platform().name,
                                  std::to_string(layout.devices),
                                  std::to_string(best.plan + 1),
                                  duration_text(plan.plan.step) + interval_text(plan.plan.step, plan.unknown),
                                  duration_text(best.optimum.step),
                                  best.on_frontier ? "yes" : "-"};
  if (report.job.tokens) row.push_back(fmt::format("{:.1f}", plan.days.value_or(0)));
  if (report.job.tokens && report.job.has_prices) row.push_back(usd_cell(plan.price->value()));
  row.push_back(difference_cell(report, best.plan));
  return row;
}

}  // namespace

std::string choices_table(const PlanReport& report) {
  return table_text(without_idle_columns(table_rows(report)));
}

std::string bests_table(const PlanReport& report) {
  TableRows rows = {{"cluster", "dev", "plan", "step", "least step", "frontier"}};
  if (report.job.tokens) rows[0].push_back("days");
  if (report.job.tokens && report.job.has_prices) rows[0].push_back("USD");
  rows[0].push_back("against plan 1");
  std::vector<const ClusterBest*> order;
  for (const ClusterBest& best : report.bests) order.push_back(&best);
  std::ranges::stable_sort(order, {}, [&](const ClusterBest* best) {
    const std::size_t stated = report.job.clusters[best->optimum.layout.cluster].stated;
    return std::pair(stated, !best->of_cluster);
  });
  for (const ClusterBest* best : order) rows.push_back(best_row(report, *best));
  return table_text(rows) +
         wrapped("  least step: ", "of all layouts on these devices, launched or not, proved by bounds",
                 kTableColumns) +
         wrapped("  frontier: ", "none of the others is both faster and cheaper", kTableColumns);
}

std::string alike_text(const PlanJob& job, const ShownPlan& shown) {
  std::string text;
  const auto add = [&](const std::string& more) {
    if (!more.empty()) add_to_list(text, more, "; ");
  };
  add(others_text(shown, "frameworks ", &PlanLayout::cluster,
                  [&](std::size_t cluster) { return job.clusters[cluster].framework; }));
  add(others_text(shown, "schedules ", &PlanLayout::schedule,
                  [&](std::size_t schedule) { return job.search.schedules[schedule].name; }));
  add(others_text(shown, "states ", &PlanLayout::data,
                  [](DataParallel data) { return word_of(kDataParallels, data); }));
  add(others_text(shown, "microbatches of ", &PlanLayout::microbatch,
                  [](std::uint32_t size) { return std::to_string(size); }));
  return text;
}

}  // namespace spillway
