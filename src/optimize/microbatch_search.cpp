// MicrobatchOrder::Makespan: climbs (microbatch_climb.h) from each of the order rules, and keeps the best
// result. On small steps this is nearly always the best of all permutations;
// tests/optimize/microbatch_search_test.cpp counts.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "optimize/microbatch_climb.h"
#include "optimize/microbatch_rules.h"

namespace spillway {
namespace {

// The search of one step prices about this many events at most.
constexpr double kPricedEvents = 3e6;

// Returns how many neighbouring replicas advance together.
std::uint32_t group_size(const Derived& derived) {
  std::uint32_t size = 1;
  for (const Event& event : derived.order.events())
    if (event.computes()) size = std::lcm(size, event.joined_replicas);
  return size;
}

// Returns the times of a replica's events as sampled. They tell it from other replicas.
std::vector<Seconds> times_of(const Derived& derived, const CostModel& as_sampled, ReplicaId replica) {
  std::vector<Seconds> times;
  for (const Event& event : derived.order.events())
    times.push_back(event_seconds(as_sampled, event, replica));
  return times;
}

// Sorts the replicas of a group by their times, so that the climb does not depend on their numbers. If some
// but not all of a group advance together, they keep their order, since neighbours have to stay neighbours.
ReplicaGroup group_from(std::uint32_t first, std::uint32_t size, const Derived& derived,
                        const CostModel& as_sampled) {
  ReplicaGroup group;
  for (std::uint32_t i = 0; i < size; ++i) group.emplace_back(first + i);
  const auto some = [&](const Event& event) {
    return event.computes() && event.joined_replicas > 1 && event.joined_replicas < size;
  };
  if (size == 1 || std::ranges::any_of(derived.order.events(), some)) return group;
  std::vector<std::vector<Seconds>> times;
  for (const ReplicaId replica : group) times.push_back(times_of(derived, as_sampled, replica));
  std::ranges::stable_sort(group, std::less(),
                           [&](ReplicaId replica) { return times[replica.index() - first]; });
  return group;
}

std::vector<Permutation> least_makespan(const Derived& derived, const CostModel& as_sampled) {
  const std::uint32_t together = group_size(derived), replicas = derived.pipeline.replicas;
  const double prices = kPricedEvents / kOrderRules.size() * together / replicas;
  const ClimbedStep step(derived, together);
  const auto weights = microbatch_weights(derived, as_sampled);
  std::vector<ReplicaGroup> groups;
  for (std::uint32_t first = 0; first < replicas; first += together)
    groups.push_back(group_from(first, together, derived, as_sampled));
  std::vector<Permutation> best(replicas);
  std::vector<Seconds> least(replicas, Seconds(std::numeric_limits<double>::infinity()));
  for (MicrobatchOrder rule : kOrderRules) {
    std::vector<Permutation> orders = order_by_rule(rule, weights);
    const ReorderedCosts costs(as_sampled, orders);
    for (std::uint32_t first = 0; first < replicas; first += together) {
      const Seconds makespan = climb(step, groups[first / together], orders, costs, prices);
      if (makespan >= least[first]) continue;
      least[first] = makespan;
      std::copy_n(orders.begin() + first, together, best.begin() + first);
    }
  }
  return best;
}

}  // namespace

std::vector<Permutation> order_microbatches(MicrobatchOrder order, const Derived& derived,
                                            const CostModel& as_sampled) {
  const Pipeline& pipeline = derived.pipeline;
  if (order == MicrobatchOrder::AsSampled) {
    const std::vector<Seconds> equal(pipeline.microbatches);
    return order_by_rule(order, std::vector<std::vector<Seconds>>(pipeline.replicas, equal));
  }
  if (order == MicrobatchOrder::FillIntervals) return order_for_intervals(derived, as_sampled);
  if (order == MicrobatchOrder::Makespan) return least_makespan(derived, as_sampled);
  return order_by_rule(order, microbatch_weights(derived, as_sampled));
}

}  // namespace spillway
