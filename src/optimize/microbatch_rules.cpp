#include "optimize/microbatch_rules.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "derive/feeding.h"

namespace spillway {
namespace {

constexpr double kSame = 1e-9;  // of a forward: a smaller difference of weights is rounding

// A Replicated region has the same stages on every rank, so only those of rank 0 count.
bool counts(const Outline& derived, const Stage& stage) {
  const bool everywhere = derived.placement[stage.region.index()].layout == Layout::Replicated;
  return !everywhere || stage.rank == RankId(0);
}

struct ForwardTime {
  Seconds whole;
  Seconds transposed;  // of the regions that feed the pipelined ones
};

ForwardTime forward_time(const Outline& derived, const Pricing& pricing, MicrobatchId microbatch,
                         ReplicaId replica) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  ForwardTime time;
  for (std::uint32_t index = 0; index < derived.stages.size(); ++index) {
    if (!counts(derived, derived.stages[index])) continue;
    const Seconds pass = pricing.pass(Pass::Forward, StageId(index), microbatch, replica);
    time.whole += pass;
    if (feeding && feeding->is_transposed(derived.stages[index].region)) time.transposed += pass;
  }
  return time;
}

bool differ(const std::vector<ForwardTime>& times) {
  const auto [least, most] = std::minmax_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.transposed < b.transposed; });
  return most->transposed - least->transposed > kSame * most->whole;
}

// Weights that differ only by the order of summation become equal.
void level_equals(std::vector<Seconds>& weights, Seconds difference) {
  std::vector<std::size_t> ascending(weights.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::sort(ascending.begin(), ascending.end(),
            [&](std::size_t a, std::size_t b) { return weights[a] < weights[b]; });
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    const Seconds before = weights[ascending[i - 1]];
    if (weights[ascending[i]] - before <= difference) weights[ascending[i]] = before;
  }
}

Permutation by_rule(MicrobatchOrder rule, const std::vector<Seconds>& weight) {
  Permutation order;
  for (std::uint32_t m = 0; m < weight.size(); ++m) order.emplace_back(m);
  const auto of = [&](MicrobatchId m) { return weight[m.index()]; };
  if (rule == MicrobatchOrder::HeaviestFirst)
    std::stable_sort(order.begin(), order.end(),
                     [&](MicrobatchId a, MicrobatchId b) { return of(a) > of(b); });
  if (rule == MicrobatchOrder::LightestFirst)
    std::stable_sort(order.begin(), order.end(),
                     [&](MicrobatchId a, MicrobatchId b) { return of(a) < of(b); });
  return order;
}

}  // namespace

std::vector<std::vector<Seconds>> microbatch_weights(const Outline& derived, const Pricing& pricing) {
  std::vector<std::vector<ForwardTime>> times(derived.pipeline.replicas);
  for (std::uint32_t replica = 0; replica < times.size(); ++replica) {
    for (std::uint32_t m = 0; m < derived.pipeline.microbatches; ++m)
      times[replica].push_back(forward_time(derived, pricing, MicrobatchId(m), ReplicaId(replica)));
  }
  const bool encodes_differ = std::any_of(times.begin(), times.end(), differ);
  std::vector<std::vector<Seconds>> weights(times.size());
  for (std::size_t replica = 0; replica < times.size(); ++replica) {
    Seconds longest;
    for (const ForwardTime& time : times[replica]) {
      weights[replica].push_back(encodes_differ ? time.transposed : time.whole);
      longest = std::max(longest, time.whole);
    }
    level_equals(weights[replica], kSame * longest);
  }
  return weights;
}

std::vector<Permutation> order_by_rule(MicrobatchOrder order,
                                       const std::vector<std::vector<Seconds>>& weights) {
  ensure(std::ranges::find(kOrderRules, order) != kOrderRules.end(), "an order by weights alone");
  std::vector<Permutation> orders;
  for (const auto& of_replica : weights) orders.push_back(by_rule(order, of_replica));
  return orders;
}

}  // namespace spillway
