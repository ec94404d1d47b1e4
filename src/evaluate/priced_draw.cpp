#include "evaluate/priced_draw.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "cost/network/rank_devices.h"
#include "draws/fold.h"
#include "optimize/microbatch_rules.h"

namespace spillway {
namespace {

std::uint32_t devices_of_rank(const Experiment& experiment) {
  return parallelism_of(experiment.costs).members();
}

// Returns the number of devices that send a reduction's payload on each lane. In a broadcast, the last rank
// sends nothing.
double senders(const RankDevices& devices, const Event& reduction) {
  if (reduction.kind == EventKind::Broadcast)
    return (devices.ranks() - 1.0) * devices.members(reduction.rank);
  if (reduction.group == Group::ReplicaGroup) return 1.0 * devices.ranks() * devices.members(RankId(0));
  return 1.0 * reduction.holders() * devices.members(reduction.rank);
}

}  // namespace

PricedDraw price_draw(const DrawCosts& costs, const Derived& derived, MicrobatchOrder order,
                      std::uint32_t draw) {
  std::unique_ptr<const CostModel> as_sampled = costs.of(derived, draw);
  const Stopwatch planning;
  std::vector<Permutation> orders = order_microbatches(order, derived, *as_sampled);
  const double planned_s = planning.seconds();
  Prices prices = price(derived, ReorderedCosts(*as_sampled, orders));
  return {std::move(as_sampled), std::move(orders), std::move(prices), planned_s};
}

void hold_to_numbers(Seconds makespan) {
  if (!std::isfinite(makespan.value()))
    throw InputError({{"", "/model", "durations whose sum is finite", "a step of infinite length"}});
}

Bytes step_traffic(const DrawCosts& costs, const Derived& derived, const PricedDraw& priced,
                   std::uint32_t draw) {
  const ReorderedCosts pricing = priced.costs();
  const Experiment& experiment = costs.experiment();
  const std::uint32_t members = devices_of_rank(experiment);
  const RankDevices devices = rank_devices(derived, members);
  Bytes all = costs.exchanged(derived, draw) * members;
  for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; ++lane)
    for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
      const Event& event = derived.order.event(EventId(id));
      if (event.in_group()) all += priced.prices.payload.at(EventId(id), lane) * senders(devices, event);
      if (!event.transfers()) continue;
      const Bytes payload = priced.prices.payload.at(EventId(id), lane);
      all += payload > Bytes() ? payload * flows_between(devices, event.rank, event.peer_rank)
                               : pricing.received(event, ReplicaId(lane)) * devices.members(event.peer_rank);
    }
  return all * equal_replicas(experiment);
}

}  // namespace spillway
