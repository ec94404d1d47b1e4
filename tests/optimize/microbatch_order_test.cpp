// Reordered prices against given work lists that are written in the new order.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "optimize/microbatch_rules.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"

namespace spillway {
namespace {

using testing::random_derivation;
using testing::RandomDerivation;

Permutation shuffled(std::uint32_t microbatches) {
  Permutation order;
  for (std::uint32_t m = 0; m < microbatches; ++m) order.emplace_back(m);
  for (std::uint32_t m = microbatches; m > 1; --m)
    std::swap(order[m - 1], order[*rc::gen::inRange<std::uint32_t>(0, m)]);
  return order;
}

std::vector<Permutation> shuffled(const Pipeline& pipeline) {
  std::vector<Permutation> orders;
  for (std::uint32_t replica = 0; replica < pipeline.replicas; ++replica)
    orders.push_back(shuffled(pipeline.microbatches));
  return orders;
}

Permutation inverse(const Permutation& order) {
  Permutation back(order.size());
  for (std::uint32_t position = 0; position < order.size(); ++position)
    back[order[position].index()] = MicrobatchId(position);
  return back;
}

// Returns the same work with each replica's list written in the order in which it runs.
GivenCosts written_in(const std::vector<Permutation>& orders, GivenCosts costs) {
  for (BlockProfile& block : costs.blocks) {
    if (block.work.empty()) continue;
    const auto as_sampled = block.work;
    block.work.assign(orders.size(), {});
    for (std::size_t replica = 0; replica < orders.size(); ++replica) {
      const auto& list = as_sampled[as_sampled.size() == 1 ? 0 : replica];
      for (MicrobatchId m : orders[replica]) block.work[replica].push_back(list[m.index()]);
    }
  }
  return costs;
}

bool same(const Prices& a, const Prices& b) {
  return std::ranges::equal(a.durations.flat(), b.durations.flat()) &&
         std::ranges::equal(a.payload.flat(), b.payload.flat());
}

RC_GTEST_PROP(ReorderedCosts, PriceAsWorkListsWrittenInThatOrder, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const auto orders = shuffled(derived.pipeline);
  const GivenCostModel as_sampled(random.costs, derived), written(written_in(orders, random.costs), derived);
  RC_ASSERT(same(price(derived, ReorderedCosts(as_sampled, orders)), price(derived, written)));
}

RC_GTEST_PROP(ReorderedCosts, UndoneByTheInverse, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const auto orders = shuffled(derived.pipeline);
  std::vector<Permutation> back;
  for (const Permutation& order : orders) back.push_back(inverse(order));
  const GivenCostModel as_sampled(random.costs, derived);
  const ReorderedCosts there(as_sampled, orders);
  RC_ASSERT(same(price(derived, ReorderedCosts(there, back)), price(derived, as_sampled)));
}

// The time of each pass of each microbatch in each part of the model; the loss and the gradients are summed
// over these. A Replicated region is one part, wherever it runs.
using WorkByPass = std::map<std::tuple<std::uint32_t, std::uint32_t, EventKind, std::uint32_t>, Seconds>;
WorkByPass work_of(const Derived& derived, const Pricing& costs, const Permutation& order,
                   ReplicaId replica) {
  WorkByPass work;
  for (const Event& event : derived.order.events()) {
    if (!event.computes()) continue;
    const std::uint32_t region = derived.stage(event.stage).region.index();
    const bool everywhere = derived.placement[region].layout == Layout::Replicated;
    const std::uint32_t part = everywhere ? 0 : derived.stage(event.stage).index;
    const bool first =
        work.emplace(std::tuple(region, part, event.kind, order[event.microbatch.index()].index()),
                     event_seconds(costs, event, replica))
            .second;
    RC_ASSERT(first);
  }
  return work;
}

RC_GTEST_PROP(ReorderedCosts, DoTheSameWork, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const auto orders = shuffled(derived.pipeline);
  const GivenCostModel as_sampled(random.costs, derived);
  const ReorderedCosts reordered(as_sampled, orders);
  Permutation identity(derived.pipeline.microbatches);
  for (std::uint32_t m = 0; m < identity.size(); ++m) identity[m] = MicrobatchId(m);
  for (std::uint32_t r = 0; r < derived.pipeline.replicas; ++r)
    RC_ASSERT(work_of(derived, reordered, orders[r], ReplicaId(r)) ==
              work_of(derived, as_sampled, identity, ReplicaId(r)));
}

// Two stages, work 1, 2 and 4: the forward of position 0 overlaps the backward of position 2.
TEST(ReorderedCosts, AnOverlappedPassMovesBothOfItsMicrobatches) {
  const Derived derived = testing::uniform("1f1b", 2, 3);
  GivenCosts costs = testing::uniform_costs(1, 1, 1);
  costs.blocks[0].work = {{1, 2, 4}};
  const std::vector<Permutation> orders = {{MicrobatchId(1), MicrobatchId(0), MicrobatchId(2)}};
  const GivenCostModel as_sampled(costs, derived);
  Event event{.kind = EventKind::ForwardBackward};
  event.microbatch = MicrobatchId(0);
  event.peer_stage = StageId(1);
  event.peer_microbatch = MicrobatchId(2);
  EXPECT_EQ(event_seconds(ReorderedCosts(as_sampled, orders), event, ReplicaId(0)), Seconds(2 + 2 * 4));
}

TEST(ReorderedCosts, TakesPermutationsAlone) {
  const Derived derived = testing::uniform("1f1b", 2, 2);
  const GivenCostModel as_sampled(testing::uniform_costs(1, 1, 1), derived);
  const std::vector<Permutation> twice = {{MicrobatchId(0), MicrobatchId(0)}};
  const std::vector<Permutation> beyond = {{MicrobatchId(0), MicrobatchId(2)}};
  EXPECT_THROW(ReorderedCosts(as_sampled, twice), ContractBreach);
  EXPECT_THROW(ReorderedCosts(as_sampled, beyond), ContractBreach);
}

// An encoder of one layer comes before a backbone of three; each layer's forward takes 1 s times its work.
std::vector<std::vector<Seconds>> weights(const std::string& text, std::vector<double> encoder,
                                          std::vector<double> backbone) {
  const Model model({{"enc", Role::Encoder, 1, true}, {"llm", Role::Backbone, 3, true}});
  const Schedule parsed = testing::schedule(text);
  const Cut cut = parsed.skeletons.size() == 1 ? Cut{} : Cut{{1}};
  const Derived derived = derive(model, parsed, cut, {.pipeline = {2, 3}});
  const GivenCosts layer = testing::uniform_costs(1, 1, 1);
  GivenCosts costs{{layer.blocks[0], layer.blocks[0]}, Seconds()};
  costs.blocks[0].work = {std::move(encoder)};
  costs.blocks[1].work = {std::move(backbone)};
  return microbatch_weights(derived, GivenCostModel(costs, derived));
}

TEST(MicrobatchWeights, AreTransposedForwardsWhereThereAreAny) {
  using Weights = std::vector<std::vector<Seconds>>;
  EXPECT_EQ(weights("transpose,1f1b", {2, 0.5, 1}, {1, 8, 2}),
            (Weights{{Seconds(2), Seconds(0.5), Seconds(1)}}));
  EXPECT_EQ(weights("1f1b", {2, 0.5, 1}, {1, 8, 2}), (Weights{{Seconds(5), Seconds(24.5), Seconds(7)}}));
}

TEST(MicrobatchWeights, AreWholeForwardsWhereTransposedOnesDoNotDiffer) {
  const std::vector<std::vector<Seconds>> expected = {{Seconds(4), Seconds(25), Seconds(7)}};
  EXPECT_EQ(weights("transpose,1f1b", {1, 1, 1}, {1, 8, 2}), expected);
  EXPECT_EQ(weights("1f1b", {1, 1, 1}, {1, 8, 2}), expected);
}

// (0.1 + 0.2) + 0.3 is not (0.3 + 0.2) + 0.1.
TEST(MicrobatchWeights, AreEqualInWhateverOrderTheyAreSummed) {
  std::vector<Block> blocks(4, {"llm", Role::Backbone, 1, true});
  const Derived derived =
      derive(Model(blocks), testing::schedule("transpose,1f1b"), Cut{{3}}, {.pipeline = {1, 3}});
  GivenCosts costs{std::vector<BlockProfile>(4, testing::uniform_costs(1, 1, 1).blocks[0]), Seconds()};
  costs.blocks[0].work = {{0.1, 0.3, 5}};
  costs.blocks[1].work = {{0.2, 0.2, 5}};
  costs.blocks[2].work = {{0.3, 0.1, 5}};
  const std::vector<Seconds> found = microbatch_weights(derived, GivenCostModel(costs, derived))[0];
  EXPECT_EQ(found[0], found[1]);
  EXPECT_LT(found[1], found[2]);
}

TEST(OrderByRule, SortsAndLeavesEqualsAsSampled) {
  const std::vector<std::vector<Seconds>> two = {{Seconds(1), Seconds(3), Seconds(1), Seconds(2)},
                                                 {Seconds(1), Seconds(1), Seconds(1), Seconds(1)}};
  const auto numbers = [&](MicrobatchOrder order, std::size_t replica) {
    std::vector<std::uint32_t> all;
    const auto orders = order_by_rule(order, two);
    for (MicrobatchId m : orders[replica]) all.push_back(m.index());
    return all;
  };
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(numbers(MicrobatchOrder::AsSampled, 0), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(numbers(MicrobatchOrder::HeaviestFirst, 0), (Numbers{1, 3, 0, 2}));
  EXPECT_EQ(numbers(MicrobatchOrder::LightestFirst, 0), (Numbers{0, 2, 3, 1}));
  for (MicrobatchOrder rule : kOrderRules) EXPECT_EQ(numbers(rule, 1), (Numbers{0, 1, 2, 3}));
}

}  // namespace
}  // namespace spillway
