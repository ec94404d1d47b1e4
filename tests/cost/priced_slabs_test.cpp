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

MicrobatchLoad packed(std::vector<std::uint32_t> documents) {
  MicrobatchLoad load{{}, static_cast<std::uint32_t>(documents.size()), 0, 128, 128};
  load.documents = std::move(documents);
  load.packing = Packing::Packed;
  return load;
}

// The slabs of a block share the attention of its microbatches. Priced alone, each takes as long.
TEST(PricedSlabs, ShareAttentionWithinABlock) {
  SmallJob job;
  job.draw = {{packed({64, 64}), packed({128}), packed({16, 100, 4}), packed({96, 32})}};
  job.pipeline = {2, 4, 1};
  const DrawLoads loads = draw_loads(job.costs, job.draw);
  ASSERT_EQ(loads.kinds().size(), 4u);
  const StageSlabs stages(job.costs, job.derive_as("1f1b", {}, {3, 3}));
  PricedSlabs known;
  const std::vector<SlabTimesByLoad> shared = slab_prices(stages, loads, known);
  int compared = 0;
  for (std::size_t i = 0; i < stages.slabs.size(); ++i) {
    const StageSlabs::Slab& slab = stages.slabs[i];
    const StageSlabs::Block& block = stages.block(slab);
    if (block.over_patches()) continue;
    for (std::size_t kind = 0; kind < loads.kinds().size(); ++kind) {
      const SlabLoad load{loads.kinds()[kind].sequence, loads.kinds()[kind].sequences};
      const SlabTimes alone = slab_times(slab.operators, Split::of(stages.parallelism), load, block.times,
                                         block.gradients, stages.host);
      EXPECT_EQ((*shared[i])[kind].forward, alone.forward);
      EXPECT_EQ((*shared[i])[kind].input_gradient, alone.input_gradient);
      EXPECT_EQ((*shared[i])[kind].attention_backward, alone.attention_backward);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 2 * 4);
}

TEST(PricedSlabs, AreAskedOnceForSlabsThatAreAlike) {
  PricedSlabs slabs;
  int asked = 0;
  const auto ask = [&](std::size_t block, double layers, DataParallel data = DataParallel::Plain) {
    Parallelism parallelism;
    parallelism.data = data;
    const SlabOperators operators{{{Operator{}, layers}}, {}};
    return slabs.times(block, parallelism, operators, [&] { return std::vector<SlabTimes>(++asked); })
        ->size();
  };
  EXPECT_EQ(ask(0, 2), 1u);
  EXPECT_EQ(ask(0, 1), 2u);
  EXPECT_EQ(ask(1, 2), 3u);
  EXPECT_EQ(ask(0, 2), 1u);
  EXPECT_EQ(ask(0, 2, DataParallel::Zero3), 4u);
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
