#include "experiment/encoder_images.h"
#include "json/dumped.h"
#include "json/word_of.h"
#include "search/answer/layout_json.h"
#include "search/answer/spread.h"

namespace spillway {
namespace {

using SpreadJson = nlohmann::ordered_json;

SpreadJson answer_json(const PlanJob& job, const std::optional<EvaluatedPlan>& plan) {
  if (!plan) return {};
  SpreadJson answer = layout_json(job, plan->layout);
  answer.update(SpreadJson{{"step_s", plan->step.value()},
                           {"days", number_or_null(days_of(job, *plan))},
                           {"usd", number_or_null(price_of(job, *plan))},
                           {"usd_per_1e12_useful_tokens", number_or_null(trillion_tokens_price(*plan))}});
  return answer;
}

SpreadJson framework_json(const PlanJob& job, const FrameworkAnswer& answer) {
  const JobCluster& cluster = job.clusters[answer.cluster];
  const AnalyticCosts& costs = cluster.analytic().costs;
  return {
      {"framework", cluster.framework},
      {"name", costs.framework.name},
      {"alike", cluster.alike},
      {"images", encodes_images(cluster.base) ? SpreadJson(word_of(kEncoderImages, costs.parallelism.images))
                                              : SpreadJson()},
      {"splits_models", cluster.splits},
      {"best", answer_json(job, answer.best)},
      {"launchable", answer_json(job, answer.launchable)},
      {"launch_reason", text_or_null(answer.unlaunched)},
      {"why", text_or_null(answer.why)}};
}

// A bound that a framework undercuts is none.
SpreadJson bound_json(const PlanJob& job, const ClusterSpread& spread) {
  if (!spread.bound || !spread.bound->best) return {};
  const auto& best = spread.frameworks.front()->best;
  SpreadJson bound = answer_json(job, spread.bound->best);
  bound["holds"] = !best || spread.bound->best->value <= best->value;
  return bound;
}

}  // namespace

std::string spread_json(const PlanReport& report) {
  SpreadJson all = SpreadJson::array();
  for (const ClusterSpread& spread : spreads_of(report)) {
    SpreadJson frameworks = SpreadJson::array();
    for (const FrameworkAnswer* answer : spread.frameworks)
      frameworks.push_back(framework_json(report.job, *answer));
    all.push_back({{"cluster", spread.cluster->platform().name},
                   {"frameworks", std::move(frameworks)},
                   {"bound", bound_json(report.job, spread)}});
  }
  return dumped(all);
}

}  // namespace spillway
