#include "search/pareto.h"

#include <fmt/format.h>

#include "words/wording.h"

namespace spillway {
namespace {

constexpr double kSecondsOfAnHour = 3600, kHoursOfADay = 24;

ScatterPoint place_of(const PlanJob& job, const EvaluatedPlan& plan) {
  const double devices = plan.layout.devices;
  const auto days = days_of(job, plan);
  const double time = days ? *days : plan.step.value();
  if (!job.has_prices)
    return {time, devices * (days ? *days * kHoursOfADay : plan.step.value() / kSecondsOfAnHour)};
  return {time, (days ? *price_of(job, plan) : *plan.step_cost).value()};
}

std::string layout_text(const PlanJob& job, const PlanLayout& layout) {
  std::string text = fmt::format("{} dev, P={} TP={}", layout.devices, layout.ranks, layout.tensor);
  if (layout.context > 1) text += fmt::format(" CP={}", layout.context);
  if (layout.expert > 1) text += fmt::format(" EP={}", layout.expert);
  return text + ", " + job.search.schedules[layout.schedule].name;
}

std::string caption_of(const PlanJob& job) {
  std::string text = fmt::format(
      "Longest path, mean of {}. Layouts that bounds excluded are not shown: they cannot be among the best "
      "by {}, but may belong to the line.",
      counted(job.draws, "draw"), job.objective == Objective::Usd ? "USD" : "time");
  if (!job.has_prices) text += " A cluster has no price, so cost is counted in device-hours.";
  for (const std::string& assumption : job.clusters.front().base.assumptions)
    text += " Assumed: " + assumption + '.';
  return text;
}

}  // namespace

Scatter pareto_picture(const PlanJob& job, const SearchResult& result) {
  const std::string of = job.tokens ? "the training" : "a step";
  Scatter scatter{
      .title = "Time and cost: " + job.name,
      .subtitle = fmt::format("{} of {} were evaluated and fit", result.plans.size(),
                              counted(result.counts.legal, "legal layout")),
      .caption = caption_of(job),
      .x_label = job.tokens ? "days of the training" : "seconds of a step",
      .y_label = job.has_prices ? "USD of " + of : "device-hours of " + of + " (no price is given)",
      .groups = {},
      .best_name = "none is both faster and cheaper",
      .best = {}};
  std::vector<std::size_t> group_of;  // by cluster: of the stated one
  for (const JobCluster& cluster : job.clusters) {
    if (is_first_as_stated(job, cluster)) scatter.groups.push_back({cluster.platform().name, {}});
    group_of.push_back(scatter.groups.size() - 1);
  }
  std::vector<ScatterPoint> all;
  for (const EvaluatedPlan& plan : result.plans) {
    all.push_back(place_of(job, plan));
    scatter.groups[group_of[plan.layout.cluster]].points.push_back(all.back());
  }
  for (const ScatterGroup& group : scatter.groups)
    if (group.points.empty()) scatter.caption += " The line has none of " + group.name + ".";
  for (const std::size_t i : undominated(all))
    scatter.best.push_back({all[i], layout_text(job, result.plans[i].layout)});
  return scatter;
}

}  // namespace spillway
