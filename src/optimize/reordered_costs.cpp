#include "optimize/reordered_costs.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

bool is_permutation(const Permutation& order) {
  std::vector<bool> seen(order.size());
  for (MicrobatchId m : order) {
    if (m.index() >= order.size() || seen[m.index()]) return false;
    seen[m.index()] = true;
  }
  return true;
}

}  // namespace

ReorderedCosts::ReorderedCosts(const CostModel& as_sampled, const std::vector<Permutation>& by_replica)
    : as_sampled_(as_sampled), by_replica_(by_replica) {
  ensure(std::all_of(by_replica.begin(), by_replica.end(), is_permutation),
         "each microbatch has one position");
}

Event ReorderedCosts::moved(Event event, ReplicaId replica) const {
  event.microbatch = at(event.microbatch, replica);
  event.peer_microbatch = at(event.peer_microbatch, replica);
  return event;
}

}  // namespace spillway
