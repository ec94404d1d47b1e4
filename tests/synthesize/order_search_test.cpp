// The searches for an order against the best of all orders.
#define SPILLWAY_PROPERTY_CASES "60"
#include "synthesize/order_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "small_pipelines.h"
#include "support/property.h"
#include "synthesize/exact_order.h"

namespace spillway::testing {
namespace {

const auto kAlwaysFits = [](const OwnedOrder&, OrderSearch::Walked) { return true; };

OrderSearch search_of(const OwnedOrder& start, std::uint64_t seed = 1) {
  return {{start}, {}, kAlwaysFits, seed};
}

// The least step of all orders of these passes, under these owners.
Seconds least_step(OwnedOrder order) {
  std::uint64_t nodes = 10'000'000;
  const auto best =
      exact_order(order.step->needs(), order.step->derived().pipeline.ranks, mean_step(order), nodes);
  ensure(nodes > 0, "enough nodes");
  if (best) order.sequences = *best;
  return mean_step(order);
}

RC_GTEST_PROP(ExactOrder, IsTheBestOfAllOrders, ()) {
  const SmallPipeline one = any_pipeline(3, 4);
  const double least = one.oracle.best();
  RC_ASSERT(std::abs(least_step(one.order()).value() - least) <= 1e-9 * least);
}

TEST(ExactOrder, ProvesNothingWithoutNodes) {
  const OwnedOrder order = own_order(priced_step(uniform("1f1b", 3, 4), uniform_costs(1, 1, 1)));
  std::uint64_t nodes = 3;
  EXPECT_FALSE(exact_order(order.step->needs(), 3, Seconds(1e9), nodes));
  EXPECT_EQ(nodes, 0U);
}

RC_GTEST_PROP(OrderSearch, FindsTheBestOrderOfSmallSteps, ()) {
  const SmallPipeline one = any_pipeline(3, 4);
  OrderSearch search = search_of(one.order());
  while (search.tries() < 4000) search.try_next();
  const double least = one.oracle.best();
  RC_ASSERT(search.step().value() >= least * (1 - 1e-9));
  RC_ASSERT(search.step().value() <= least * 1.02);
}

// The first try is the named order. A longer search goes on from a shorter one.
RC_GTEST_PROP(OrderSearch, NeverLosesAndIsItsOwnBeginning, ()) {
  const OwnedOrder start = any_pipeline(4, 8).order();
  OrderSearch whole = search_of(start, 7), part = search_of(start, 7);
  RC_ASSERT(whole.step() == mean_step(start));
  Seconds before = whole.step();
  while (whole.tries() < 200) {
    whole.try_next();
    RC_ASSERT(whole.step() <= before);
    before = whole.step();
    if (whole.tries() <= 120) part.try_next();
    if (whole.tries() == 120) RC_ASSERT(part.best().sequences == whole.best().sequences);
  }
  RC_ASSERT(mean_step(whole.best()) == whole.step());
}

TEST(OrderSearch, KeepsNoOrderThatDoesNotFit) {
  const OwnedOrder named = own_order(priced_step(uniform("gpipe", 3, 6), uniform_costs(1, 1, 1)));
  OrderSearch search(
      {named}, {},
      [&](const OwnedOrder& one, OrderSearch::Walked) { return one.sequences != named.sequences; }, 1);
  EXPECT_FALSE(search.found());
  while (search.tries() < 200) search.try_next();
  EXPECT_TRUE(search.found());
  EXPECT_NE(search.best().sequences, named.sequences);
  OrderSearch hopeless(
      {named}, {}, [](const OwnedOrder&, OrderSearch::Walked) { return false; }, 1);
  while (hopeless.tries() < 200) hopeless.try_next();
  EXPECT_FALSE(hopeless.found());
}

// A transposed encoder in front of 1F1B, with encodes of other lengths for each microbatch.
struct SmallTransposed {
  Model model;
  GivenCosts costs;
  DeriveOptions options;

  std::shared_ptr<const PricedStep> with(const OwnerMaps& owners) const {
    DeriveOptions own = options;
    own.owners = owners;
    return priced_step(derive(model, schedule("transpose,1f1b"), Cut{{1}}, own), costs);
  }
};

SmallTransposed random_transposed(std::uint32_t seed) {
  RandomStream draw({seed});
  const auto any = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(draw.uniform() * (most - least + 1));
  };
  const std::uint32_t ranks = any(2, 3), microbatches = any(1, ranks == 2 ? 3 : 2);
  SmallTransposed one{
      Model({{"enc", Role::Encoder, 1, any(0, 1) == 1}, {"llm", Role::Backbone, ranks, true}}),
      {{}, Seconds(0.1 * any(0, 5))},
      {.pipeline = {ranks, microbatches}}};
  for (int block = 0; block < 2; ++block) {
    BlockProfile& profile = one.costs.blocks.emplace_back();
    profile.forward = Seconds(0.1 * any(1, 30));
    profile.input_gradient = Seconds(0.1 * any(1, 40));
    std::vector<double> work;
    for (std::uint32_t m = 0; m < microbatches; ++m) work.push_back(0.1 * any(1, 30));
    profile.work = {work};
  }
  return one;
}

// The least step over all owner maps.
double least_step(const SmallTransposed& one) {
  const Pipeline& pipeline = one.options.pipeline;
  double least = std::numeric_limits<double>::infinity();
  const auto maps = static_cast<std::uint32_t>(std::pow(pipeline.ranks, pipeline.microbatches));
  for (std::uint32_t map = 0; map < maps; ++map) {
    OwnerMap owner;
    for (std::uint32_t m = 0, rest = map; m < pipeline.microbatches; ++m, rest /= pipeline.ranks)
      owner.emplace_back(rest % pipeline.ranks);
    least = std::min(least, least_step(own_order(one.with({owner}))).value());
  }
  return least;
}

// From the worst owners, all on one rank.
TEST(OrderSearch, FindsOwnersNearTheBestOfSmallSteps) {
  double above = 0;
  constexpr std::uint32_t kJobs = 40;
  for (std::uint32_t seed = 0; seed < kJobs; ++seed) {
    const SmallTransposed one = random_transposed(seed);
    const OwnerMaps first{OwnerMap(one.options.pipeline.microbatches, RankId(0))};
    OrderSearch search(
        {own_order(one.with(first))}, [&](const OwnerMaps& owners) { return one.with(owners); }, kAlwaysFits,
        1);
    while (search.tries() < 1500) search.try_next();
    const double least = least_step(one);
    EXPECT_GE(search.step().value(), least * (1 - 1e-9)) << seed;
    EXPECT_EQ(mean_step(search.best()), search.step()) << seed;
    above += search.step().value() / least - 1;
  }
  EXPECT_LE(above / kJobs, 0.002);
}

}  // namespace
}  // namespace spillway::testing
