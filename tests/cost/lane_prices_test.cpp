// Many draws side by side against price() of each, to the last bit.
#include "cost/lane_prices.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "derive/feeding.h"
#include "optimize/reordered_costs.h"
#include "small_job.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "support/rows.h"

namespace spillway {
namespace {

using testing::random_derivation;
using testing::RandomDerivation;

Durations priced_lanes(const LanePrices& prices, TransposedWork work, std::uint32_t first,
                       std::uint32_t count) {
  PricedRows rows(prices, work);
  rows.set_lanes(first, count);
  return testing::held(rows);
}

// Expects that lanes from `first` on hold the prices of `draws`, one lane per draw and replica.
void expect_prices(const Derived& derived, const LanePrices& lanes, const std::vector<const Pricing*>& draws,
                   std::uint32_t first) {
  const std::size_t events = derived.order.event_count();
  const std::uint32_t replicas = derived.pipeline.replicas;
  const auto count = replicas * static_cast<std::uint32_t>(draws.size());
  const Durations counted = priced_lanes(lanes, TransposedWork::Counted, first, count),
                  free = priced_lanes(lanes, TransposedWork::Free, first, count);
  for (std::uint32_t draw = 0; draw < draws.size(); ++draw) {
    const Durations own = price(derived, *draws[draw]).durations;
    const Durations own_free = transposed_free(derived, own);
    for (std::uint32_t event = 0; event < events; ++event) {
      for (std::uint32_t replica = 0; replica < replicas; ++replica) {
        const EventId id(event);
        const std::uint32_t lane = draw * replicas + replica;
        RC_ASSERT(counted.at(id, lane) == own.at(id, replica));
        RC_ASSERT(free.at(id, lane) == own_free.at(id, replica));
      }
    }
  }
}

bool same(const Durations& a, const Durations& b) {
  return std::ranges::equal(a.flat(), b.flat());
}

// Expects that one draw's lanes can be priced after another's.
void expect_repriced(const Derived& derived, const LanePrices& prices, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t count = derived.pipeline.replicas;
  for (TransposedWork work : {TransposedWork::Free, TransposedWork::Counted}) {
    PricedRows rows(prices, work);
    rows.set_lanes(from, count);
    testing::held(rows);
    rows.set_lanes(to, count);
    RC_ASSERT(same(testing::held(rows), priced_lanes(prices, work, to, count)));
  }
}

// Expects the prices of all draws, and of all but the first.
void expect_prices(const Derived& derived, const std::vector<const Pricing*>& draws) {
  const PriceClasses classes(derived);
  const LanePrices lanes(derived, classes, draws);
  RC_ASSERT(lanes.lanes() == draws.size() * derived.pipeline.replicas);
  expect_prices(derived, lanes, draws, 0);
  if (draws.size() == 1) return;
  expect_prices(derived, lanes, {draws.begin() + 1, draws.end()}, derived.pipeline.replicas);
  expect_repriced(derived, lanes, 0, derived.pipeline.replicas);
}

// Returns the costs with another factor for every microbatch that has one.
GivenCosts redrawn(GivenCosts costs, std::uint32_t draw) {
  for (BlockProfile& block : costs.blocks)
    for (auto& row : block.work)
      for (std::uint32_t m = 0; m < row.size(); ++m) row[m] += 0.1 * ((m * 7 + draw * 3) % 5) * draw;
  return costs;
}

std::vector<GivenCostModel> redrawn_models(const GivenCosts& costs, const Derived& derived,
                                           std::uint32_t draws) {
  std::vector<GivenCostModel> models;
  for (std::uint32_t draw = 0; draw < draws; ++draw) models.emplace_back(redrawn(costs, draw), derived);
  return models;
}

template <class Model>
std::vector<const Pricing*> pointers(const std::vector<Model>& models) {
  std::vector<const Pricing*> all;
  for (const Model& model : models) all.push_back(&model);
  return all;
}

RC_GTEST_PROP(LanePrices, AreThoseOfEachDraw, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const std::uint32_t draws = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 6));
  expect_prices(derived, pointers(redrawn_models(random.costs, derived, draws)));
}

// Costs differ from draw to draw though each is uniform within its draw.
RC_GTEST_PROP(LanePrices, TakeNoDrawForAnother, ()) {
  RandomDerivation random = *random_derivation({.every_skeleton = true});
  for (BlockProfile& block : random.costs.blocks) block.work.clear();
  const Derived derived = random.derived();
  std::vector<GivenCostModel> models;
  for (int draw = 0; draw < 3; ++draw) {
    models.emplace_back(random.costs, derived);
    random.costs.blocks.back().forward += milliseconds(draw);
    random.costs.p2p += milliseconds(draw);
  }
  expect_prices(derived, pointers(models));
}

RC_GTEST_PROP(LanePrices, FollowTheOrderOfMicrobatches, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  Permutation backwards;
  for (std::uint32_t m = derived.pipeline.microbatches; m > 0; --m) backwards.emplace_back(m - 1);
  const std::vector<Permutation> orders(derived.pipeline.replicas, backwards);
  const std::vector<GivenCostModel> models = redrawn_models(random.costs, derived, 3);
  std::vector<ReorderedCosts> reordered;
  for (const GivenCostModel& model : models) reordered.emplace_back(model, orders);
  expect_prices(derived, pointers(reordered));
}

// One free lane serves all draws if only the transposed region has work factors, whatever its blocks are
// called.
RC_GTEST_PROP(LanePrices, AreUniformWhereOnlyTransposedWorkIsDrawn, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const std::optional<Feeding> feeding = feeding_of(derived);
  bool others = false;
  for (const Stage& stage : derived.stages)
    for (std::size_t block = 0; block < random.blocks.size(); ++block)
      others = others || ((!feeding || !feeding->is_transposed(stage.region)) &&
                          derived.model.part_of(block, stage.layers).size() > 0 &&
                          !random.costs.blocks[block].work.empty());
  const PriceClasses classes(derived);
  const std::vector<GivenCostModel> models = redrawn_models(random.costs, derived, 2);
  RC_ASSERT(LanePrices(derived, classes, pointers(models)).free_is_uniform() == !others);
}

// Each joined replica takes the time of the longest of them alone, transposed work included.
RC_GTEST_PROP(Prices, OfJoinedReplicasAreTheLongest, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const GivenCostModel model(random.costs, derived);
  const Durations durations = price(derived, model).durations;
  for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) {
    const Event& event = derived.order.event(EventId(index));
    if (!event.computes()) continue;
    for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; ++lane) {
      Seconds most;
      const std::uint32_t first = lane / event.joined_replicas * event.joined_replicas;
      for (std::uint32_t i = first; i < first + event.joined_replicas; ++i)
        most = std::max(most, event_seconds(model, event, ReplicaId(i)));
      RC_ASSERT(durations.at(EventId(index), lane) == most);
    }
  }
}

class AnalyticLanes : public ::testing::Test {
 protected:
  AnalyticLanes() { job_.pipeline.replicas = 2; }

  // Each draw has its own images. `sequences` gives, for each draw, the tokens of even and odd microbatches.
  void expect_lanes(const char* text, Cut cut, std::vector<std::uint32_t> layers,
                    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& sequences,
                    bool free_is_uniform) {
    const Derived derived = job_.derive_as(text, std::move(cut), std::move(layers));
    std::vector<std::unique_ptr<AnalyticCostModel>> models;
    std::vector<const Pricing*> draws;
    for (std::uint32_t draw = 0; draw < sequences.size(); ++draw) {
      const auto [even, odd] = sequences[draw];
      for (auto& replica : job_.draw) {
        replica.clear();
        while (replica.size() < job_.pipeline.microbatches) {
          replica.push_back({{4 + 12 * draw}, 1, 1 + 3 * draw, 2, even});
          replica.push_back({{}, 1, 0, 8, odd});
        }
      }
      models.push_back(std::make_unique<AnalyticCostModel>(job_.priced(derived)));
      draws.push_back(models.back().get());
    }
    expect_prices(derived, draws);
    const PriceClasses classes(derived);
    EXPECT_EQ(LanePrices(derived, classes, draws).free_is_uniform(), free_is_uniform);
  }

  SmallJob job_;
};

// Image tokens differ, so their transfers differ even with a free encoder. An encoder in the pipeline is
// never free.
TEST_F(AnalyticLanes, OfPackedSequences) {
  expect_lanes("1f1b", {}, {1, 5}, {{20, 20}, {20, 20}}, false);
  expect_lanes("transpose,1f1b", {{2}}, {}, {{20, 20}, {20, 20}}, false);
  expect_lanes("1f1b", {}, {3, 3}, {{20, 20}, {20, 20}}, false);
}

TEST_F(AnalyticLanes, OfSequencesThatDiffer) {
  expect_lanes("1f1b", {}, {3, 3}, {{20, 10}, {20, 10}}, false);
  expect_lanes("1f1b", {}, {3, 3}, {{20, 20}, {10, 10}}, false);
}

TEST_F(AnalyticLanes, OfExpertsThatSpanReplicas) {
  job_.costs.parallelism.expert = 2;
  expect_lanes("1f1b", {}, {3, 3}, {{20, 10}, {10, 10}}, false);
  expect_lanes("zb-h1", {}, {3, 3}, {{20, 20}, {20, 20}}, false);
}

TEST_F(AnalyticLanes, OfForwardsBesideBackwards) {
  job_.pipeline.microbatches = 4;
  expect_lanes("dualpipev", {}, {2, 2, 1, 1}, {{20, 20}, {20, 20}}, false);
  expect_lanes("dualpipev", {}, {3, 1, 1, 1}, {{20, 20}, {20, 20}}, false);
}

// Nodes have 8 devices, and there are three replicas. Ranks 1 and 2 are devices 3 and 6 in replica 0, but 5
// and 8, on another node, in replica 2.
TEST_F(AnalyticLanes, OfTransfersOverOtherTiersInOtherReplicas) {
  job_.pipeline = {3, 2, 3};
  expect_lanes("1f1b", {}, {2, 2, 2}, {{20, 20}}, false);
}

TEST(LanePrices, HoldTheirContract) {
  const Derived derived = testing::uniform("1f1b", 2, 2);
  const PriceClasses classes(derived);
  const GivenCostModel model(testing::uniform_costs(1, 1, 1), derived);
  EXPECT_THROW(LanePrices(derived, classes, {}), ContractBreach);
  const LanePrices lanes(derived, classes, {&model, &model});
  PricedRows rows(lanes, TransposedWork::Counted);
  EXPECT_THROW(rows.set_lanes(1, 2), ContractBreach);
}

// Overlapped passes are priced event by event, a large order's in stretches.
TEST(LanePrices, AreThoseOfLargeOrders) {
  for (const char* text : {"1f1b", "dualpipev"}) {
    const Derived derived = testing::uniform(text, 8, 200);
    GivenCosts costs = testing::uniform_costs(1, 1, 1);
    auto& work = costs.blocks[0].work.emplace_back();
    for (std::uint32_t m = 0; m < 200; ++m) work.push_back(1 + m % 7);
    const GivenCostModel model(costs, derived);
    const PriceClasses classes(derived);
    ASSERT_GT(derived.order.event_count(), 4 * classes.stretch_events());
    const LanePrices prices(derived, classes, {&model});
    EXPECT_TRUE(same(priced_lanes(prices, TransposedWork::Counted, 0, 1), price(derived, model).durations))
        << text;
  }
}

}  // namespace
}  // namespace spillway
