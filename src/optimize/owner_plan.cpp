#include "optimize/owner_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "optimize/plan.h"

namespace spillway {
namespace {

// The maximal number of times that an order and an owner map are searched anew for each other.
constexpr int kTurns = 3;

class OwnerPlanner {
 public:
  OwnerPlanner(const OwnerRequest& request, const PreparedOrder& unmapped,
               const std::function<Derived(const OwnerMap&)>& derive_with)
      : request_(request),
        unmapped_(unmapped),
        derive_with_(derive_with),
        as_sampled_(cost_models(request.costs, unmapped.derived, request.draws.numbers())) {}

  OwnerChoice choose() const {
    if (request_.schedule.order != MicrobatchOrder::Makespan) return choose(ordered(request_.schedule.order));
    std::optional<Searched> best;
    for (MicrobatchOrder rule : kOrderRules) {
      OwnerChoice choice = choose(ordered(rule));
      if (best && choice.owner == best->owner.owner) continue;
      Searched searched = search(std::move(choice));
      if (!best || searched.makespan < best->makespan) best = std::move(searched);
    }
    for (int turn = 0; turn < kTurns; ++turn) {
      OwnerChoice choice = choose(best->orders);
      if (choice.owner == best->owner.owner) break;
      Searched next = search(std::move(choice));
      if (next.makespan >= best->makespan) break;
      best = std::move(next);
    }
    return std::move(best->owner);
  }

 private:
  // Orders by rule follow from the draws and not from the owner map.
  DrawOrders ordered(MicrobatchOrder rule) const { return order_draws(rule, unmapped_.derived, as_sampled_); }

  // A map, the orders found under it, and the mean makespan of both.
  struct Searched {
    OwnerChoice owner;
    DrawOrders orders;
    Seconds makespan;
  };
  Searched search(OwnerChoice owner) const {
    const Derived derived = derive_with_(owner.owner);
    DrawOrders found = order_draws(MicrobatchOrder::Makespan, derived,
                                   cost_models(request_.costs, derived, request_.draws.numbers()));
    const Seconds makespan = mean_makespan(derived, found);
    return {std::move(owner), std::move(found), makespan};
  }

  // The owner of a microbatch decides what is sent, and what follows on two ranks. So each map has an order
  // of its own, and its lanes are the draws. Deriving an order takes two thirds of a trial, pricing a
  // quarter, the pass a twentieth. Running several maps as lanes of one pass would gain no more than that
  // twentieth.
  OwnerChoice choose(const DrawOrders& orders) const {
    const MakespanOf makespan = [&](const OwnerMap& owner) {
      return mean_makespan(derive_with_(owner), orders);
    };
    return choose_owner(request_.schedule.owner, problem(orders), makespan, evaluations());
  }

  OwnerProblem problem(const DrawOrders& orders) const {
    const OrderedDraws draws(as_sampled_, orders);
    return in_ticks({expected_encode(draws, orders.rule), expected_slack(draws), unmapped_.derived.inputs()});
  }

  Seconds mean_makespan(const Derived& derived, const DrawOrders& orders) const {
    const CostModels as_sampled = cost_models(request_.costs, derived, request_.draws.numbers());
    return spillway::mean_makespan(derived, LongestPath(derived.order), OrderedDraws(as_sampled, orders), {});
  }

  std::uint32_t evaluations() const {
    const double each = static_cast<double>(unmapped_.derived.order.event_count()) * weight();
    return affordable_evaluations(each);
  }

  // Returns draws times replicas: the number of samples of a mean.
  double weight() const {
    return static_cast<double>(request_.draws.numbers().size()) * unmapped_.derived.pipeline.replicas;
  }

  // All zero if the transposed regions feed nothing, so that no pipeline waits for it, or if the pipeline
  // begins only after all encodes.
  std::vector<Seconds> expected_slack(const OrderedDraws& draws) const {
    if (!unmapped_.evaluator.spills() || request_.schedule.input.gathered_first)
      return std::vector<Seconds>(unmapped_.derived.pipeline.ranks);
    const std::uint32_t replicas = unmapped_.derived.pipeline.replicas;
    const LanePrices prices(unmapped_.derived, unmapped_.classes, draws.pricings());
    const bool one_for_all = prices.free_is_uniform();
    PricedRows free(prices, TransposedWork::Free);
    LiveEnds ends;
    std::vector<FreeLane> lanes;
    std::vector<ExactSum> sums(unmapped_.derived.pipeline.ranks);
    for (std::uint32_t first = 0; first < prices.lanes(); first += replicas) {
      if (first == 0 || !one_for_all) {
        free.set_lanes(first, one_for_all ? 1 : replicas);
        lanes = unmapped_.evaluator.free_lanes(free, ends);
      }
      for (std::uint32_t replica = 0; replica < replicas; ++replica)
        add_slack(lanes[one_for_all ? 0 : replica], sums);
    }
    return means_over(weight(), sums);
  }

  static void add_slack(const FreeLane& lane, std::vector<ExactSum>& sums) {
    for (std::size_t rank = 0; rank < sums.size(); ++rank) sums[rank].add(lane.slack[rank]);
  }

  // Returns the mean encode time by position. Drawn microbatches are alike before they are drawn, so as
  // sampled each expects their common mean. Each position keeps its own mean if microbatches are sorted or
  // given, or if the map is made from its own draw.
  std::vector<Seconds> expected_encode(const OrderedDraws& draws, MicrobatchOrder rule) const {
    EncodeSums sums(unmapped_.derived);
    for (const Pricing* pricing : draws.pricings()) sums.add(*pricing);
    return sums.means(weight(), request_.alike && rule == MicrobatchOrder::AsSampled);
  }

  const OwnerRequest& request_;
  const PreparedOrder& unmapped_;
  const std::function<Derived(const OwnerMap&)>& derive_with_;
  CostModels as_sampled_;
};

}  // namespace

std::uint32_t affordable_evaluations(double events) {
  constexpr double all = 4e7;
  return static_cast<std::uint32_t>(std::clamp(all / events, 8.0, 4000.0));
}

EncodeSums::EncodeSums(const Outline& outline)
    : outline_(outline), sums_(outline.inputs() * outline.pipeline.microbatches) {}

void EncodeSums::add(const Pricing& pricing) {
  const auto [ranks, microbatches, replicas] = outline_.pipeline;
  for (const StageId stage : outline_.input_stages(RankId(0))) {
    const std::size_t first = std::size_t{outline_.stage(stage).region.index()} * microbatches;
    for (std::uint32_t m = 0; m < microbatches; ++m)
      for (std::uint32_t replica = 0; replica < replicas; ++replica)
        sums_[first + m].add(pricing.pass(Pass::Forward, stage, MicrobatchId(m), ReplicaId(replica)));
  }
}

std::vector<Seconds> EncodeSums::means(double weight, bool alike) const {
  std::vector<Seconds> encode = means_over(weight, sums_);
  const std::size_t microbatches = outline_.pipeline.microbatches;
  for (std::size_t first = 0; alike && first < encode.size(); first += microbatches)
    level(std::span(encode).subspan(first, microbatches));
  return encode;
}

OwnerChoice plan_owner(const OwnerRequest& request, const PreparedOrder& unmapped,
                       const std::function<Derived(const OwnerMap&)>& derive_with) {
  return OwnerPlanner(request, unmapped, derive_with).choose();
}

}  // namespace spillway
