#include <nlohmann/json.hpp>

#include "base/version.h"
#include "base/word_of.h"
#include "json/document.h"
#include "json/dumped.h"
#include "platform/evidence.h"
#include "search/known_error.h"
#include "search/plan_figures.h"
#include "search/software/spread.h"

namespace spillway {
namespace {

using PlansJson = nlohmann::ordered_json;

template <class Value>
PlansJson number_or_null(const std::optional<Value>& value) {
  if constexpr (std::is_arithmetic_v<Value>)
    return value ? PlansJson(*value) : PlansJson();
  else
    return value ? PlansJson(value->value()) : PlansJson();
}

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

PlansJson plan_json(const PlanJob& job, const ShownPlan& shown, std::size_t rank) {
  const PlanLayout& layout = shown.plan.layout;
  const JobCluster& cluster = job.clusters[layout.cluster];
  const ScheduleOutcome& outcome = shown.plan.outcome.schedules.front();
  PlansJson warnings = PlansJson::array();
  for (const Warning& warning : shown.plan.outcome.warnings)
    warnings.push_back({{"code", warning.code}, {"text", warning.text}});
  return {
      {"rank", rank},
      {"tie", shown.plan.tie},
      {"cluster", cluster.platform().name},
      {"devices", layout.devices},
      {"ranks", layout.ranks},
      {"tensor", layout.tensor},
      {"context", layout.context},
      {"expert", layout.expert},
      {"replicas", layout.replicas},
      {"microbatches", layout.microbatches},
      {"microbatch_sequences", layout.microbatch},
      {"schedule", job.search.schedules[layout.schedule].name},
      {"split", word_of(kStageSplits, job.search.schedules[layout.schedule].split)},
      {"recompute", word_of(kRecomputes, layout.recompute)},
      {"data", word_of(kDataParallels, layout.data)},
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
      {"folded", shown.folded},
      {"speaks_for", shown.speaks_for},
      {"best_on_its_devices", shown.leads},
      {"warnings", std::move(warnings)},
      {"framework", shown.framework.empty() ? PlansJson() : PlansJson(shown.framework)},
      {"launch", shown.launch.launch
                     ? undumped(compact_json(launch_document(*shown.launch.framework, *shown.launch.launch)))
                     : PlansJson()},
      {"launch_reason", shown.launch.launch ? PlansJson() : PlansJson(shown.launch.reason)},
      {"experiment", undumped(shown.experiment)}};
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
          {"pruned", {{"memory", report.counts.pruned_by_memory}, {"bound", report.counts.pruned_by_bound}}},
          {"evaluated", report.counts.evaluated},
          {"refused", report.counts.refused},
          {"misfits", report.counts.misfits},
          {"beyond_limits", report.counts.beyond_limits},
          {"unlaunchable", report.counts.unlaunchable},
          {"unlaunchable_reason", report.counts.unlaunchable_reason.empty()
                                      ? PlansJson()
                                      : PlansJson(report.counts.unlaunchable_reason)},
          {"tied_with_the_best", report.tied},
          {"known_errors", std::move(errors)},
          {"without_plan", std::move(without)},
          {"software", undumped(spread_json(report))},
          {"launchable_instead", undumped(launchable_instead_json(report))},
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

std::string plans_page_json(const PlanReport& report, const Scatter& picture) {
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
                          {"document", std::move(document)}});
}

}  // namespace spillway
