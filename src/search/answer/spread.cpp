#include "search/answer/spread.h"

#include <algorithm>

#include "cost/step_account.h"

namespace spillway {
namespace {

bool precedes_in_spread(const FrameworkAnswer* a, const FrameworkAnswer* b) {
  if (!a->best || !b->best) return a->best && !b->best;
  return a->best->value < b->best->value;
}

}  // namespace

std::vector<ClusterSpread> spreads_of(const PlanReport& report) {
  std::vector<ClusterSpread> all;
  for (const FrameworkAnswer& answer : report.answers) {
    const JobCluster& cluster = report.job.clusters[answer.cluster];
    if (all.empty() || all.back().cluster->stated != cluster.stated) all.push_back({&cluster, {}});
    if (cluster.is_bound)
      all.back().bound = &answer;
    else
      all.back().frameworks.push_back(&answer);
  }
  for (ClusterSpread& one : all) std::ranges::stable_sort(one.frameworks, precedes_in_spread);
  return all;
}

std::optional<Dollars> trillion_tokens_price(const EvaluatedPlan& plan) {
  if (!plan.step_cost) return std::nullopt;
  const std::vector<Seconds>& makespans = plan.outcome.schedules.front().makespans;
  Dollars sum;
  for (std::size_t draw = 0; draw < makespans.size(); ++draw)
    sum += throughput(plan.outcome.accounts[draw], makespans[draw]).cost->trillion_useful_tokens;
  return sum * (1.0 / static_cast<double>(makespans.size()));
}

}  // namespace spillway
