#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "experiment/encoder_images.h"
#include "json/word_of.h"
#include "memory/memory_text.h"
#include "search/answer/plan_decision.h"
#include "search/answer/plan_figures.h"
#include "search/answer/plan_words.h"
#include "search/answer/plans_table.h"
#include "search/answer/spread.h"
#include "search/known_error.h"
#include "search/sense.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

// Share of memory. If the best plan leaves less, a warning names what no figure counts.
constexpr double kLittleLeft = 0.05;

// Plan 1 with failures in detail, and every plan that leads on other devices.
std::string failures_lines(const PlanReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.plans.size(); ++i)
    if (const ShownPlan& shown = report.plans[i]; shown.leads && shown.goodput)
      text += goodput_text(report.job, shown.plan, *shown.goodput, i + 1, i == 0);
  return text;
}

std::string without_lines(const PlanReport& report) {
  std::string text;
  for (const WithoutPlan& one : report.without)
    text += wrapped(fmt::format("  {} of {}: ", counted(one.devices, "device"),
                                report.job.clusters[one.cluster].platform().name),
                    one.why, kTableColumns);
  return text;
}

// Names equal schedules once for each listed schedule.
std::string same_lines(const PlanReport& report) {
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

// Says for how many layouts each plan stands, and in what these differ from it.
std::string folded_lines(const PlanReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.plans.size(); ++i) {
    const ShownPlan& shown = report.plans[i];
    if (shown.like.empty()) continue;
    text += wrapped(fmt::format("  plan {} stands for {} more: ", i + 1, shown.like.size()),
                    alike_text(report.job, shown), kTableColumns);
  }
  return text;
}

std::string errors_text(const PlanReport& report) {
  std::string text;
  const bool several = report.job.clusters.back().stated != report.job.clusters.front().stated;
  for (const JobCluster& cluster : report.job.clusters) {
    if (!is_first_as_stated(report.job, cluster)) continue;
    const KnownError& layouts = layout_error(report.job, cluster);
    std::string words = fmt::format(
        "layouts of {} if they differ by more than {}, the scatter of one model's errors around their "
        "mean in {} ({})",
        cluster.platform().name, percent(layouts.share, 1), layouts.table, counted(layouts.rows, "row"));
    if (several) {
      const KnownError& clusters = cluster_error(report.job, cluster);
      words += fmt::format("; clusters if they differ by more than {}, the mean error of {} ({})",
                           percent(clusters.share, 1), clusters.table, counted(clusters.rows, "row"));
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

// Each plan that leads and can be launched, and why others cannot be.
std::string launch_section(const PlanReport& report) {
  std::string text =
      "\nlaunch of the plans that lead (whole files and the other plans: --json and `spillway export`)\n";
  for (std::size_t i = 0; i < report.plans.size(); ++i)
    if (report.plans[i].launch.launch && report.plans[i].leads)
      text += wrapped("  plan " + std::to_string(i + 1) + ": ", launch_words(report.plans[i].launch),
                      kTableColumns);
  return text + unlaunched_lines(report);
}

// Frameworks that run on a cluster, but have no such model.
void add_without_model(const PlanJob& job, std::vector<std::string>& all) {
  for (const JobCluster& cluster : job.clusters)
    if (is_first_as_stated(job, cluster) && !cluster.without_model.empty())
      all.push_back("on " + cluster.platform().name + " " + joined(cluster.without_model) +
                    (cluster.without_model.size() == 1 ? " is" : " are") +
                    " left out, without a model of these images");
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
  add_without_model(report.job, all);
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
  return text + left_out_text(counts) + '.';
}

std::string plans_text(const PlanReport& report) {
  std::string text = wrapped("", verdict(report), kTableColumns);
  for (const DecisionLine& line : decision_lines(report))
    text += wrapped("  " + line.about + ": ", line.text, kTableColumns);
  text += wrapped("", counts_line(report), kTableColumns);
  text += "\neach cluster at its best\n" + bests_table(report) + without_lines(report);
  text += "\nchoices\n" + choices_table(report) + folded_lines(report) + same_lines(report);
  text += failures_lines(report) + errors_text(report) + assumed_lines(report);
  return text + spread_text(report) + launch_section(report);
}

}  // namespace spillway
