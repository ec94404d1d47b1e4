#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "experiment/encoder_images.h"
#include "json/word_of.h"
#include "search/answer/spread.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/with_commas.h"
#include "words/wording.h"

namespace spillway {
namespace {

std::string short_layout(const PlanJob& job, const PlanLayout& layout) {
  std::string text = fmt::format("P{} TP{}", layout.ranks, layout.tensor);
  if (layout.context > 1) text += fmt::format(" CP{}", layout.context);
  if (layout.expert > 1) text += fmt::format(" EP{}", layout.expert);
  text += fmt::format(" R{}, {}x{}, {}", layout.replicas, layout.microbatches, layout.microbatch,
                      job.search.schedules[layout.schedule].name);
  if (layout.recompute != Recompute::None)
    text += fmt::format(", {}", word_of(kRecomputes, layout.recompute));
  return text + fmt::format(", {}", word_of(kDataParallels, layout.data));
}

std::string name_in_spread(const JobCluster& cluster) {
  return cluster.alike.empty() ? cluster.framework : cluster.framework + ", " + joined(cluster.alike);
}

// "yes", or what the best that can be launched takes more.
std::string launch_cell(const FrameworkAnswer& answer) {
  if (answer.unlaunched.empty()) return "yes";
  if (!answer.launchable) return "no";
  return signed_percent(answer.launchable->value / answer.best->value - 1, 1);
}

std::vector<std::string> spread_row(const PlanJob& job, const FrameworkAnswer& answer) {
  const JobCluster& cluster = job.clusters[answer.cluster];
  const EvaluatedPlan& plan = *answer.best;
  std::vector<std::string> row = {name_in_spread(cluster), std::to_string(plan.layout.devices),
                                  duration_text(plan.step)};
  if (const auto days = days_of(job, plan)) row.push_back(fmt::format("{:.1f}", *days));
  if (job.has_prices) row.push_back(usd_cell(trillion_tokens_price(plan)->value()));
  row.push_back(launch_cell(answer));
  if (encodes_images(cluster.base))
    row.emplace_back(!cluster.splits ? "whole"
                                     : word_of(kEncoderImages, cluster.analytic().costs.parallelism.images));
  row.push_back(short_layout(job, plan.layout));
  return row;
}

std::string spread_table(const PlanJob& job, const ClusterSpread& spread) {
  TableRows rows = {{"framework", "dev", "step"}};
  if (job.tokens) rows[0].emplace_back("days");
  if (job.has_prices) rows[0].emplace_back("USD/1e12");
  rows[0].emplace_back("launch");
  if (encodes_images(spread.cluster->base)) rows[0].emplace_back("images");
  rows[0].emplace_back("layout");
  for (const FrameworkAnswer* answer : spread.frameworks)
    if (answer->best) rows.push_back(spread_row(job, *answer));
  return rows.size() > 1 ? table_text(std::move(rows)) : "";
}

// Frameworks with the same reason share a line.
std::string reasons_lines(const PlanJob& job, const ClusterSpread& spread, const char* heading,
                          const std::string FrameworkAnswer::*reason) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const FrameworkAnswer* answer : spread.frameworks) {
    if ((answer->*reason).empty()) continue;
    const auto known = std::ranges::find(reasons, answer->*reason, [](const auto& one) { return one.first; });
    auto& names = known != reasons.end()
                      ? known->second
                      : reasons.emplace_back(answer->*reason, std::vector<std::string>()).second;
    names.push_back(job.clusters[answer->cluster].framework);
  }
  std::string text;
  for (const auto& [words, names] : reasons)
    text += wrapped("  " + joined(names) + heading, words, kTableColumns);
  return text;
}

std::string bound_line(const PlanJob& job, const ClusterSpread& spread) {
  if (!spread.bound || !spread.bound->best) return "";
  const EvaluatedPlan& bound = *spread.bound->best;
  const EvaluatedPlan* best = spread.frameworks.front()->best ? &*spread.frameworks.front()->best : nullptr;
  std::string words = duration_text(bound.step) + " a step";
  if (const auto days = days_of(job, bound)) words += fmt::format(", {:.1f} days", *days);
  if (const auto price = trillion_tokens_price(bound))
    words += ", " + usd_text(price->value()) + " per 10^12 useful tokens";
  words +=
      fmt::format(", on {}, {}", counted(bound.layout.devices, "device"), short_layout(job, bound.layout));
  if (best && best->value < bound.value)
    return wrapped("  ideal software: ",
                   words + "; no bound here: " + job.clusters[best->layout.cluster].framework +
                       " holds less memory or moves fewer bytes",
                   kTableColumns);
  return wrapped("  no software reaches less than: ", words, kTableColumns);
}

}  // namespace

std::string spread_text(const PlanReport& report) {
  std::string text;
  for (const ClusterSpread& spread : spreads_of(report)) {
    if (spread.frameworks.size() < 2 && !spread.bound) continue;
    text += '\n' + wrapped("",
                           fmt::format("software on {}: the best of each framework; launch: what the best "
                                       "that it can launch takes more",
                                       spread.cluster->platform().name),
                           kTableColumns);
    text += spread_table(report.job, spread) +
            reasons_lines(report.job, spread, " without a plan: ", &FrameworkAnswer::why) +
            bound_line(report.job, spread);
  }
  return text;
}

}  // namespace spillway
