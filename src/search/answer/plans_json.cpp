#include <nlohmann/json.hpp>

#include "base/version.h"
#include "json/document.h"
#include "json/dumped.h"
#include "json/word_of.h"
#include "platform/evidence.h"
#include "search/answer/layout_json.h"
#include "search/answer/plan_decision.h"
#include "search/answer/plan_figures.h"
#include "search/answer/plan_words.h"
#include "search/answer/spread.h"
#include "search/known_error.h"
#include "search/plan_choice.h"

namespace spillway {
namespace {

using PlansJson = nlohmann::ordered_json;

PlansJson spares_json(const PlanSpares& spares) {
  return {{"nodes", spares.nodes},
          {"devices_per_node", spares.node_devices},
          {"stated", spares.stated},
          {"chance", spares.chance},
          {"needed", spares.needed ? PlansJson(*spares.needed) : PlansJson()},
          {"enough_share", spares.enough}};
}

PlansJson goodput_json(const PlanJob& job, const ShownPlan& shown) {
  if (!shown.goodput) return {};
  const PlanGoodput& one = *shown.goodput;
  return {{"share", one.share},
          {"days", number_or_null(one.days)},
          {"usd", number_or_null(one.price)},
          {"failures", number_or_null(one.failures)},
          {"mtbf_s", one.run.between_failures.value()},
          {"mtbf_source", job.clusters[shown.plan.layout.cluster].reliability->source},
          {"restart_s", one.run.restart.value()},
          {"checkpoint_bytes", one.checkpoint.value()},
          {"checkpoint_write_s", one.write.value()},
          {"checkpoint_stall_s", one.run.stall.value()},
          {"interval_steps", one.steps},
          {"interval_s", one.interval.value()},
          {"interval_stated", one.stated},
          {"young_s", one.young.value()},
          {"daly_s", one.daly.value()},
          {"best_s", one.best.value()},
          {"simulated",
           {{"interval_steps", one.simulated.steps},
            {"share", one.simulated.goodput.mean},
            {"ci95", 1.96 * one.simulated.goodput.deviation}}},
          {"spares", one.spares ? spares_json(*one.spares) : PlansJson()}};
}

// Names of equal schedules, and in what each folded layout differs.
PlansJson folded_json(const PlanJob& job, const ShownPlan& shown) {
  PlansJson all = shown.folded;
  for (const PlanLayout& other : shown.like) all.push_back(differing_text(job, shown.plan.layout, other));
  return all;
}

PlansJson plan_json(const PlanJob& job, const ShownPlan& shown, std::size_t rank) {
  const PlanLayout& layout = shown.plan.layout;
  const JobCluster& cluster = job.clusters[layout.cluster];
  const ScheduleOutcome& outcome = shown.plan.outcome.schedules.front();
  PlansJson warnings = PlansJson::array();
  for (const Warning& warning : shown.plan.outcome.warnings)
    warnings.push_back({{"code", warning.code}, {"text", warning.text}});
  PlansJson plan = {{"rank", rank}, {"tie", shown.plan.tie}, {"cluster", cluster.platform().name}};
  plan.update(layout_json(job, layout));
  plan.update(PlansJson{
      {"schedule_family", family_text(family_of(job.search.schedules[layout.schedule], layout.ranks))},
      {"split", word_of(kStageSplits, job.search.schedules[layout.schedule].split)},
      {"step_s", shown.plan.step.value()},
      {"step_ci95_s", shown.ci95},
      {"step_interval_s", shown.unknown ? PlansJson{shown.plan.step.value() * shown.unknown->low,
                                                    shown.plan.step.value() * shown.unknown->high}
                                        : PlansJson()},
      {"peak_memory_bytes", number_or_null(outcome.peak_memory)},
      {"memory_limit_bytes", number_or_null(shown.plan.outcome.memory_limit)},
      {"usd_per_1e12_useful_tokens", number_or_null(shown.trillion_useful_tokens)},
      {"usd", number_or_null(shown.price)},
      {"days", number_or_null(shown.days)},
      {"goodput", goodput_json(job, shown)},
      {"mfu", shown.mfu},
      {"useful_tokens_per_s", shown.useful_tokens_per_second},
      {"evidence", outcome.evidence ? PlansJson(to_string(*outcome.evidence)) : PlansJson()},
      {"simgrid_s", number_or_null(shown.replayed)},
      {"folded", folded_json(job, shown)},
      {"best_on_its_devices", shown.leads},
      {"warnings", std::move(warnings)},
      {"framework", shown.framework.empty() ? PlansJson() : PlansJson(shown.framework)},
      {"launch", shown.launch.launch
                     ? undumped(compact_json(launch_document(*shown.launch.framework, *shown.launch.launch)))
                     : PlansJson()},
      {"launch_reason", shown.launch.launch ? PlansJson() : PlansJson(shown.launch.reason)},
      {"experiment", undumped(shown.experiment)}});
  return plan;
}

PlansJson difference_json(const PlanDifference& one) {
  return {{"share", one.share},
          {"interval", one.interval ? PlansJson{one.interval->low, one.interval->high} : PlansJson()},
          {"tied", one.tied}};
}

PlansJson rival_json(const PlanReport& report, const RivalPlan& rival) {
  const auto place = shown_place(report, rival);
  return {{"plan", place ? PlansJson(*place + 1) : PlansJson()},
          {"layout", differing_text(report.job, report.plans.front().plan.layout, rival.layout)},
          {"difference", difference_json(difference_of(report, rival))},
          {"launch_reason", text_or_null(rival.launch_reason)}};
}

PlansJson recommendation_json(const PlanReport& report) {
  PlansJson lines = PlansJson::array(), reversed = PlansJson::array();
  for (const DecisionLine& line : decision_lines(report))
    lines.push_back({{"about", line.about}, {"text", line.text}});
  for (const std::size_t plan : reversed_by_replay(report)) reversed.push_back(plan + 1);
  const RivalPlan* better = better_than_first(report);
  const auto launched = to_launch_instead(report);
  return {{"plan", 1},
          {"text", verdict(report)},
          {"lines", std::move(lines)},
          {"next_best", report.next ? rival_json(report, *report.next) : PlansJson()},
          {"to_launch", launched ? PlansJson(*launched + 1) : PlansJson()},
          {"not_chosen", better ? rival_json(report, *better) : PlansJson()},
          {"reversed_by_replay", std::move(reversed)}};
}

PlansJson best_json(const PlanReport& report, const ClusterBest& best) {
  const RivalPlan& optimum = best.optimum;
  const PlanLayout& layout = optimum.layout;
  return {{"devices", layout.devices},
          {"plan", best.plan + 1},
          {"difference", difference_json(difference_of(report, report.plans[best.plan]))},
          {"least_step_s", optimum.step.value()},
          {"least_days", number_or_null(optimum.days)},
          {"least_usd", number_or_null(optimum.price)},
          {"least_layout", grid_text(layout) + ", " + options_text(report.job, layout)},
          {"least_launch_reason", text_or_null(optimum.launch_reason)},
          {"on_frontier", best.on_frontier}};
}

// The best of each cluster, and of each number of its devices. A cluster without a plan has none.
PlansJson clusters_json(const PlanReport& report) {
  PlansJson clusters = PlansJson::array();
  for (const JobCluster& cluster : report.job.clusters) {
    if (!is_first_as_stated(report.job, cluster)) continue;
    PlansJson plan, devices, by_devices = PlansJson::array();
    for (const ClusterBest& best : report.bests) {
      if (report.job.clusters[best.optimum.layout.cluster].stated != cluster.stated) continue;
      by_devices.push_back(best_json(report, best));
      if (best.of_cluster) plan = best.plan + 1, devices = best.optimum.layout.devices;
    }
    clusters.push_back({{"cluster", cluster.platform().name},
                        {"plan", std::move(plan)},
                        {"devices", std::move(devices)},
                        {"by_devices", std::move(by_devices)}});
  }
  return clusters;
}

PlansJson plans_document(const PlanReport& report) {
  const PlanJob& job = report.job;
  PlansJson errors = PlansJson::array();
  for (const JobCluster& cluster : job.clusters) {
    if (!is_first_as_stated(job, cluster)) continue;
    const KnownError& layouts = layout_error(job, cluster);
    const KnownError& clusters = cluster_error(job, cluster);
    errors.push_back(
        {{"cluster", cluster.platform().name},
         {"between_layouts", {{"table", layouts.table}, {"share", layouts.share}, {"rows", layouts.rows}}},
         {"between_clusters",
          {{"table", clusters.table}, {"share", clusters.share}, {"rows", clusters.rows}}}});
  }
  PlansJson without = PlansJson::array();
  for (const WithoutPlan& one : report.without)
    without.push_back(
        {{"cluster", job.clusters[one.cluster].platform().name}, {"devices", one.devices}, {"why", one.why}});
  PlansJson plans = PlansJson::array();
  for (const ShownPlan& plan : report.plans) plans.push_back(plan_json(job, plan, plans.size() + 1));
  return {{"schema", "spillway/plans/1"},
          {"name", job.name},
          {"program", program_version()},
          {"objective", job.objective == Objective::Usd ? "usd" : "time"},
          {"draws", job.draws},
          {"seed", job.seed},
          {"assumptions", assumptions_of(report)},
          {"memory_headroom", job.limits.memory_headroom},
          {"legal", report.counts.legal},
          {"left_out_by_sense", report.counts.left_out},
          {"pruned", {{"memory", report.counts.pruned_by_memory}, {"bound", report.counts.pruned_by_bound}}},
          {"evaluated", report.counts.evaluated},
          {"refused", report.counts.refused},
          {"misfits", report.counts.misfits},
          {"beyond_limits", report.counts.beyond_limits},
          {"unlaunchable", report.counts.unlaunchable},
          {"unlaunchable_reason", text_or_null(report.counts.unlaunchable_reason)},
          {"tied_with_the_best", report.tied},
          {"tied_choices", report.tied_choices},
          {"recommendation", recommendation_json(report)},
          {"clusters", clusters_json(report)},
          {"known_errors", std::move(errors)},
          {"without_plan", std::move(without)},
          {"software", undumped(spread_json(report))},
          {"plans", std::move(plans)}};
}

PlansJson points_json(const std::vector<ScatterPoint>& points) {
  PlansJson all = PlansJson::array();
  for (const ScatterPoint& point : points) all.push_back({point.x, point.y});
  return all;
}

PlansJson picture_json(const Scatter& picture) {
  PlansJson groups = PlansJson::array(), best = PlansJson::array();
  for (const ScatterGroup& group : picture.groups)
    groups.push_back({{"name", group.name}, {"points", points_json(group.points)}});
  for (const BestPoint& one : picture.best)
    best.push_back({{"at", {one.at.x, one.at.y}}, {"text", one.text}});
  return {{"subtitle", picture.subtitle}, {"caption", picture.caption},  {"x_label", picture.x_label},
          {"y_label", picture.y_label},   {"groups", std::move(groups)}, {"best_name", picture.best_name},
          {"best", std::move(best)}};
}

}  // namespace

std::string plans_json(const PlanReport& report) {
  return dumped(plans_document(report), 2) + '\n';
}

std::string plans_page_json(const PlanReport& report, const Scatter& picture, const std::string& twin) {
  PlansJson document = plans_document(report);
  for (PlansJson& plan : document["plans"]) {
    plan.erase("experiment");
    if (!plan["launch"].is_null()) plan["launch"].erase("files");
  }
  return dumped(PlansJson{{"kind", "plan"},
                          {"title", report.job.name},
                          {"verdict", verdict(report)},
                          {"counts", counts_line(report)},
                          {"picture", picture_json(picture)},
                          {"twin", twin.empty() ? PlansJson() : undumped(twin)},
                          {"document", std::move(document)}});
}

}  // namespace spillway
