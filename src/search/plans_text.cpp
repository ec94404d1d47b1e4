#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/word_of.h"
#include "experiment/encoder_images.h"
#include "memory/memory_text.h"
#include "platform/evidence.h"
#include "search/known_error.h"
#include "search/plan_figures.h"
#include "search/software/spread.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

// Share of memory. If the best plan leaves less, a warning names what no figure counts.
constexpr double kLittleLeft = 0.05;

std::string grid_text(const PlanLayout& layout) {
  std::string text = fmt::format("P={} TP={}", layout.ranks, layout.tensor);
  if (layout.context > 1) text += fmt::format(" CP={}", layout.context);
  if (layout.expert > 1) text += fmt::format(" EP={}", layout.expert);
  return text + fmt::format(" R={}", layout.replicas);
}

std::string options_text(const PlanJob& job, const PlanLayout& layout) {
  return fmt::format(
      "{} x {} {}, {}, recompute {}, {}", layout.microbatches, layout.microbatch,
      job.clusters.front().analytic().workload.packing == Packing::Unpacked ? "samples" : "sequences",
      job.search.schedules[layout.schedule].name, word_of(kRecomputes, layout.recompute),
      word_of(kDataParallels, layout.data));
}

// Returns the prediction interval of a step as text.
std::string interval_text(const ShownPlan& shown) {
  if (!shown.unknown) return "";
  const TimeUnit unit = unit_for(shown.plan.step);
  const auto end = [&](double share) { return number_text(shown.plan.step * share, unit, shown.plan.step); };
  return fmt::format(" [{}, {}]", end(shown.unknown->low), end(shown.unknown->high));
}

// Returns the share of a device's memory that is left, or nothing if the peak or the limit is unknown.
std::optional<double> headroom(const EvaluatedPlan& plan) {
  const auto& peak = plan.outcome.schedules.front().peak_memory;
  const auto& limit = plan.outcome.memory_limit;
  if (!peak || !limit) return std::nullopt;
  return 1 - *peak / *limit;
}

bool leaves_free(const PlanJob& job) {
  const auto platforms = [](const JobCluster& cluster) { return !cluster.base.memory_limit; };
  return job.limits.memory_headroom > 0 && std::ranges::any_of(job.clusters, platforms);
}

bool several_frameworks(const PlanJob& job) {
  return std::ranges::any_of(job.clusters, [&](const JobCluster& cluster) {
    return !cluster.is_bound && cluster.framework != job.clusters.front().framework;
  });
}

TableRows table_rows(const PlanReport& report) {
  const bool priced = report.job.has_prices, timed = report.job.tokens.has_value();
  TableRows rows = {{"plan", "tie", "cluster", "framework", "dev", "P", "TP", "CP", "EP", "R", "M x b",
                     "schedule", "recompute", "data", "step", "SimGrid", "GB", "left", "MFU"}};
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
        duration_text(shown.plan.step),
        shown.replayed ? duration_text(*shown.replayed) : "-",
        outcome.peak_memory ? fmt::format("{:.1f}", outcome.peak_memory->value() / 1e9) : "-",
        left ? fmt::format("{:.1f} %", 100 * *left) : "-",
        fmt::format("{:.1f} %", 100 * shown.mfu)};
    if (priced)
      row.push_back(
          shown.trillion_useful_tokens ? fmt::format("{:.0f}", shown.trillion_useful_tokens->value()) : "-");
    if (timed) row.push_back(shown.days ? fmt::format("{:.1f}", *shown.days) : "-");
    if (fails) row.push_back(shown.goodput ? fmt::format("{:.1f} %", 100 * shown.goodput->share) : "-");
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

// Plan 1 with failures in detail, and every plan that leads on other devices.
std::string failures_lines(const PlanReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.plans.size(); ++i)
    if (const ShownPlan& shown = report.plans[i]; shown.leads && shown.goodput)
      text += goodput_text(report.job, shown.plan, *shown.goodput, i + 1, i == 0);
  return text;
}

// Names the best plan on each number of a cluster's devices, if there are several.
std::string leaders_lines(const PlanReport& report) {
  const ShownPlan& best = report.plans.front();
  const auto leaders = std::ranges::count_if(report.plans, &ShownPlan::leads);
  std::string text;
  for (std::size_t i = 0; leaders > 1 && i < report.plans.size(); ++i) {
    const ShownPlan& shown = report.plans[i];
    if (!shown.leads) continue;
    std::string words =
        fmt::format("plan {}, {}{} a step", i + 1, duration_text(shown.plan.step), interval_text(shown));
    if (shown.days) words += fmt::format(", {:.1f} days", *shown.days);
    if (shown.price) words += fmt::format(", {:.0f} USD", shown.price->value());
    if (i > 0)
      words +=
          fmt::format(", {:.1f} % {}", 100 * (shown.plan.value / best.plan.value - 1),
                      report.job.objective == Objective::Usd ? "dearer than plan 1" : "slower than plan 1");
    text += wrapped(fmt::format("  best on {} of {}: ", counted(shown.plan.layout.devices, "device"),
                                report.job.clusters[shown.plan.layout.cluster].platform().name),
                    words, kTableColumns);
  }
  text += failures_lines(report);
  for (const WithoutPlan& one : report.without)
    text += wrapped(fmt::format("  {} of {}: ", counted(one.devices, "device"),
                                report.job.clusters[one.cluster].platform().name),
                    one.why, kTableColumns);
  return text;
}

std::string praise_lines(const PlanReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.plans.size(); ++i) {
    if (report.plans[i].speaks_for.empty()) continue;
    std::string words;
    for (const std::string& one : report.plans[i].speaks_for) words += (words.empty() ? "" : ", ") + one;
    text += wrapped(fmt::format("  for plan {}: ", i + 1), words + " of its tie", kTableColumns);
  }
  return text;
}

// Names equal schedules once for each listed schedule.
std::string folded_lines(const PlanReport& report) {
  std::map<std::string, std::set<std::string>> folded;
  for (const ShownPlan& shown : report.plans)
    folded[report.job.search.schedules[shown.plan.layout.schedule].name].insert(shown.folded.begin(),
                                                                                shown.folded.end());
  std::string text;
  for (const auto& [name, others] : folded)
    for (const std::string& other : others)
      text += wrapped("  same plan: ", other + " equals " + name + " here, and is listed as " + name,
                      kTableColumns);
  return text;
}

std::string errors_text(const PlanReport& report) {
  std::string text;
  const bool several = report.job.clusters.back().stated != report.job.clusters.front().stated;
  for (const JobCluster& cluster : report.job.clusters) {
    if (!is_first_as_stated(report.job, cluster)) continue;
    const KnownError& layouts = layout_error(report.job, cluster);
    std::string words = fmt::format(
        "layouts of {} if they differ by more than {:.1f} %, the scatter of one model's errors around their "
        "mean in {} ({})",
        cluster.platform().name, 100 * layouts.share, layouts.table, counted(layouts.rows, "row"));
    if (several) {
      const KnownError& clusters = cluster_error(report.job, cluster);
      words += fmt::format("; clusters if they differ by more than {:.1f} %, the mean error of {} ({})",
                           100 * clusters.share, clusters.table, counted(clusters.rows, "row"));
    }
    text += wrapped("  told apart: ", words, kTableColumns);
  }
  return text;
}

std::string assumed_lines(const PlanReport& report) {
  std::string text;
  for (const std::string& assumption : assumptions_of(report))
    text += wrapped("  assumed: ", assumption, kTableColumns);
  if (headroom(report.plans.front().plan).value_or(1) < kLittleLeft)
    text += wrapped("  warning, of plan 1: ",
                    "less than 5 % of the device's memory is left, and no figure counts libraries' buffers "
                    "and fragmentation",
                    kTableColumns);
  for (const Warning& warning : report.plans.front().plan.outcome.warnings)
    text += wrapped("  warning, of plan 1: ", warning.text, kTableColumns);
  if (!report.job.has_prices)
    text += wrapped("  warning: ", "a cluster has no price, so plans are ranked by time", kTableColumns);
  return text;
}

std::string launch_words(const LaunchOffer& offer) {
  return launch_writer(*offer.framework).software() + ", " + offer.launch->arguments;
}

// Plans with the same reason share a line.
std::string unlaunched_lines(const PlanReport& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (std::size_t i = 0; i < report.plans.size(); ++i) {
    const LaunchOffer& offer = report.plans[i].launch;
    if (offer.launch) continue;
    const auto known = std::ranges::find(reasons, offer.reason, [](const auto& each) { return each.first; });
    if (known == reasons.end())
      reasons.push_back({offer.reason, {std::to_string(i + 1)}});
    else
      known->second.push_back(std::to_string(i + 1));
  }
  std::string text;
  for (const auto& [reason, plans] : reasons)
    text += wrapped("  cannot be launched, plan " + joined(plans) + ": ", reason, kTableColumns);
  return text;
}

// Each plan that a framework can express, and why the others cannot be launched.
std::string launch_section(const PlanReport& report) {
  std::string text =
      "\nlaunch (--json has the whole files; `spillway export` writes them for any experiment)\n";
  for (std::size_t i = 0; i < report.plans.size(); ++i)
    if (report.plans[i].launch.launch)
      text += wrapped("  plan " + std::to_string(i + 1) + ": ", launch_words(report.plans[i].launch),
                      kTableColumns);
  return text + unlaunched_lines(report);
}

}  // namespace

std::vector<std::string> assumptions_of(const PlanReport& report) {
  const Experiment& base = report.job.clusters[report.plans.front().plan.layout.cluster].base;
  std::vector<std::string> all = base.assumptions;
  if (!base.samples_from.empty()) all.insert(all.begin(), base.samples_from);
  const bool several = std::ranges::any_of(report.plans, [](const ShownPlan& shown) {
    return shown.plan.layout.tensor * shown.plan.layout.context > 1;
  });
  if (const auto assumed = assumption_on_images(base); several && assumed) all.emplace_back(*assumed);
  if (const auto off = failures_off_text(report.job)) all.push_back(*off);
  all.insert(all.end(), report.job.left_out.begin(), report.job.left_out.end());
  if (leaves_free(report.job))
    all.push_back(
        fmt::format("{:.4g} % of a device's memory stays free for libraries' buffers and fragmentation, "
                    "which no figure counts (/limits/memory_headroom)",
                    100 * report.job.limits.memory_headroom));
  if (draws_differ(base))
    all.push_back(
        "layouts with the same replicas and microbatches see the same samples; others see the same number of "
        "samples from the same distributions, so their useful tokens differ and the USD per useful token "
        "need not ascend; plans are ranked by the cost or the time of a step");
  return all;
}

std::string verdict(const PlanReport& report) {
  const ShownPlan& best = report.plans.front();
  const PlanLayout& layout = best.plan.layout;
  const ScheduleOutcome& outcome = best.plan.outcome.schedules.front();
  const JobCluster& cluster = report.job.clusters[layout.cluster];
  std::string text = fmt::format(
      "{} with {}{}, {}, {}: {}{} a step", cluster.platform().name, counted(layout.devices, "device"),
      cluster.framework.empty() ? "" : " under " + cluster.framework, grid_text(layout),
      options_text(report.job, layout), duration_text(best.plan.step), interval_text(best));
  if (outcome.peak_memory && best.plan.outcome.memory_limit)
    text += fmt::format(", {} of {}, {:.1f} % of it left", bytes_text(*outcome.peak_memory),
                        bytes_text(*best.plan.outcome.memory_limit), 100 * *headroom(best.plan));
  if (best.trillion_useful_tokens)
    text += fmt::format(", {:.0f} USD per 10^12 useful tokens", best.trillion_useful_tokens->value());
  if (best.days) text += fmt::format(", {:.1f} days", *best.days);
  if (best.goodput && best.goodput->days) text += fmt::format(" ({:.1f} with failures)", *best.goodput->days);
  if (report.tied > 1)
    text += fmt::format("; {} cannot be told apart from it", counted(report.tied - 1, "other layout"));
  return text + '.';
}

std::string counts_line(const PlanReport& report) {
  const SearchCounts& counts = report.counts;
  std::string text = fmt::format(
      "{} legal; {} need more memory than a device {} and {} cannot be among the best (proved by bounds); {} "
      "evaluated on {}",
      counted(counts.legal, "layout"), counts.pruned_by_memory, leaves_free(report.job) ? "may use" : "has",
      counts.pruned_by_bound, counts.evaluated, counted(report.job.draws, "draw"));
  if (counts.refused > 0)
    text += fmt::format(", of which {} are not possible ({})", counts.refused, counts.first_refusal);
  if (counts.misfits > 0) text += fmt::format(", of which {} do not fit", counts.misfits);
  if (counts.beyond_limits > 0) text += fmt::format(", {} exceed the limits", counts.beyond_limits);
  if (counts.unlaunchable > 0)
    text += fmt::format("; {} cannot be launched by their framework (mostly: {})", counts.unlaunchable,
                        counts.unlaunchable_reason);
  return text + '.';
}

std::string plans_text(const PlanReport& report) {
  std::string text = wrapped("", verdict(report), kTableColumns);
  text += wrapped("", counts_line(report), kTableColumns) + '\n';
  text += table_text(without_idle_columns(table_rows(report))) + '\n';
  text += leaders_lines(report) + folded_lines(report) + praise_lines(report) + errors_text(report) +
          assumed_lines(report);
  return text + spread_text(report) + launch_section(report);
}

}  // namespace spillway
