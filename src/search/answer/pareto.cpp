#include "search/answer/pareto.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "search/answer/plan_words.h"
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
  return fmt::format("{} {}, {}, {}", layout.devices, job.clusters[layout.cluster].platform().name,
                     grid_text(layout), job.search.schedules[layout.schedule].name);
}

std::string caption_of(const PlanJob& job) {
  std::string text = fmt::format(
      "Longest path, mean of {}. The line joins clusters and numbers of devices, each with its best layout: "
      "no "
      "other layout on these devices is better, as bounds prove.",
      counted(job.draws, "draw"));
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
  std::vector<BestPoint> bests;  // on each number of a stated cluster's devices
  std::set<std::pair<std::size_t, std::uint32_t>> seen;
  for (const EvaluatedPlan& plan : result.plans) {
    const ScatterPoint place = place_of(job, plan);
    const std::size_t group = group_of[plan.layout.cluster];
    scatter.groups[group].points.push_back(place);
    if (seen.emplace(group, plan.layout.devices).second)
      bests.push_back({place, layout_text(job, plan.layout)});
  }
  for (const ScatterGroup& group : scatter.groups)
    if (group.points.empty()) scatter.caption += " No layout of " + group.name + " fits.";
  std::vector<ScatterPoint> places;
  for (const BestPoint& best : bests) places.push_back(best.at);
  for (const std::size_t i : undominated(places)) scatter.best.push_back(bests[i]);
  return scatter;
}

}  // namespace spillway
