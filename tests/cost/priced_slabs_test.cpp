// Slabs priced for one schedule are reused for another, and devices with the same images share prices.
#include "cost/slabs/priced_slabs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "small_job.h"

namespace spillway {
namespace {

void expect_same(const Prices& found, const Prices& expected) {
  EXPECT_TRUE(std::ranges::equal(found.durations.flat(), expected.durations.flat()));
  EXPECT_TRUE(std::ranges::equal(found.payload.flat(), expected.payload.flat()));
}

TEST(PricedSlabs, ServeEveryScheduleThatHoldsThem) {
  SmallJob job;
  const auto loads = std::make_shared<const DrawLoads>(draw_loads(job.costs, job.draw));
  PricedSlabs slabs;
  for (const Derived& derived : {job.derive_as("transpose,1f1b", {{2}}), job.derive_as("1f1b", {}),
                                 job.derive_as("1f1b", {}, {2, 4})}) {
    const auto stages = std::make_shared<const StageSlabs>(job.costs, derived);
    const auto uses = std::make_shared<const CollectiveUses>(collective_uses(job.costs, derived, *stages));
    const AnalyticCostModel shared(job.costs, derived, stages, uses, loads, slabs);
    expect_same(price(derived, shared), price(derived, job.priced(derived)));
  }
}

TEST(PricedSlabs, AreAskedOnceForSlabsThatAreAlike) {
  PricedSlabs slabs;
  int asked = 0;
  const auto ask = [&](std::size_t block, double layers) {
    return slabs.times(block, {{{Operator{}, layers}}, {}}, [&] { return std::vector<SlabTimes>(++asked); })
        ->size();
  };
  EXPECT_EQ(ask(0, 2), 1u);
  EXPECT_EQ(ask(0, 1), 2u);
  EXPECT_EQ(ask(1, 2), 3u);
  EXPECT_EQ(ask(0, 2), 1u);
}

TEST(ByImages, TellsSizesAndCountsApart) {
  ByImages<int> known;
  int asked = 0;
  const auto ask = [&](std::vector<Sequences> images) {
    return known.of({0, std::move(images)}, [&] { return ++asked; });
  };
  EXPECT_EQ(ask({}), 1);
  EXPECT_EQ(ask({{1, 16}}), 2);
  EXPECT_EQ(ask({{2, 16}}), 3);
  EXPECT_EQ(ask({{1, 16}, {1, 4}}), 4);
  EXPECT_EQ(ask({{1, 4}}), 5);
  EXPECT_EQ(ask({{2, 16}}), 3);
}

}  // namespace
}  // namespace spillway
