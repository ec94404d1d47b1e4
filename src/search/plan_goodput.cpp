#include "search/plan_goodput.h"

#include <algorithm>
#include <cmath>

#include "goodput/spare_nodes.h"
#include "search/stage_passes.h"

namespace spillway {
namespace {

// Below it, days and US dollars with failures say nothing.
constexpr double kNoProgress = 1e-6;
constexpr std::size_t kSimulatedFailures = 20'000;

PlanSpares spares_of(const Repair& repair, const JobCluster& cluster, const FailingRun& run) {
  const double in_repair = repair.time / run.between_failures;
  const auto needed = spare_nodes_for(in_repair, repair.chance);
  const std::uint32_t nodes = repair.spares ? *repair.spares : needed.value_or(0);
  return {.nodes = nodes,
          .node_devices = repair.devices.value_or(cluster.platform().tiers.front().devices),
          .stated = repair.spares.has_value(),
          .chance = repair.chance,
          .needed = needed,
          .enough = share_with_enough_nodes(in_repair, nodes)};
}

std::uint64_t steps_of(const Reliability& reliability, const FailingRun& run, Seconds step,
                       std::uint64_t least) {
  if (!reliability.interval) return best_steps(run, step, least);
  return std::max(least, static_cast<std::uint64_t>(std::min(*reliability.interval / step + 0.5, 1e15)));
}

PlanGoodput share_of(const PlanJob& job, const EvaluatedPlan& plan, const JobCluster& cluster) {
  const Reliability& reliability = *cluster.reliability;
  const Bytes checkpoint = checkpoint_bytes(cluster.base);
  const FailingRun run = failing_run(reliability, plan.layout.devices, checkpoint);
  const std::uint64_t least = least_steps(reliability, checkpoint, plan.step);
  const std::uint64_t steps = steps_of(reliability, run, plan.step, least);
  const Seconds interval = plan.step * static_cast<double>(steps);
  const auto gaps = failure_gaps(run.between_failures, kSimulatedFailures, job.seed);
  const std::uint64_t around = best_steps(run, plan.step, least);
  return {.share = goodput(run, interval),
          .run = run,
          .checkpoint = checkpoint,
          .write = checkpoint / reliability.write,
          .steps = steps,
          .interval = interval,
          .stated = reliability.interval.has_value(),
          .young = young_interval(run),
          .daly = daly_interval(run),
          .best = best_interval(run),
          .simulated = simulated_best(run, plan.step, around, least, gaps),
          .spares =
              reliability.repair ? std::optional(spares_of(*reliability.repair, cluster, run)) : std::nullopt,
          .days = {},
          .failures = {},
          .price = {}};
}

// The share of devices that are paid for beyond those that train.
double paid_devices(const PlanGoodput& goodput, std::uint32_t devices) {
  if (!goodput.spares) return 1;
  return 1 + static_cast<double>(goodput.spares->nodes) * goodput.spares->node_devices / devices;
}

}  // namespace

std::optional<PlanGoodput> goodput_of(const PlanJob& job, const EvaluatedPlan& plan) {
  const JobCluster& cluster = job.clusters[plan.layout.cluster];
  if (!cluster.reliability) return std::nullopt;
  PlanGoodput goodput = share_of(job, plan, cluster);
  const double enough = goodput.spares ? goodput.spares->enough : 1;
  goodput.share *= enough;
  if (goodput.share < kNoProgress) return goodput;
  if (const auto days = days_of(job, plan)) {
    goodput.days = *days / goodput.share;
    goodput.failures = *goodput.days * kSecondsOfADay * enough / goodput.run.between_failures.value();
  }
  if (const auto price = price_of(job, plan))
    goodput.price = *price * (paid_devices(goodput, plan.layout.devices) / goodput.share);
  return goodput;
}

}  // namespace spillway
