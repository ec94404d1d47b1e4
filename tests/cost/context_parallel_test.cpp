// Changes that context parallelism makes to a layer: ring turns that are merged, and heads that are repeated.
#include "cost/layers/context_parallel.h"

#include <gtest/gtest.h>

#include <vector>

#include "cost/layers/conventions.h"

namespace spillway {
namespace {

// Attention with 4 query heads and 2 key/value heads; keys are 8 wide, values 6.
constexpr AttentionHeads kHeads{4, 2, 8, 6};

std::vector<Layer> shared_by(const Parallelism& parallelism, const Layer& layer) {
  std::vector<Layer> layers = {layer};
  share_sequences(parallelism, layers);
  return layers;
}

Layer around(const Layer& scores) {
  return linear("qkv", 32, 60, Share::Columns) + scores + linear("attention out", 24, 32, Share::Rows);
}

TEST(ContextParallel, WithoutItALayerStaysAsItIs) {
  const Layer layer = around(attention(kHeads, true));
  EXPECT_EQ(shared_by({.tensor = 4}, layer), std::vector<Layer>{layer});
  EXPECT_EQ(shared_by({.context_by = ContextBy::Ulysses}, layer), std::vector<Layer>{layer});
}

// Each turn but the first merges its output: it reads 24 BF16 outputs of either part and writes 24. The
// backward adds to 4 x 8 + 2 x (8 + 6) = 60 gradients: it reads two of each and writes one.
TEST(ContextParallel, ARingMergesEveryTurnButTheFirst) {
  const std::vector<Layer> ring = shared_by({.context = 3}, around(attention(kHeads, true)));
  ASSERT_EQ(ring[0].operators.size(), 5u);
  for (const std::size_t turn : {2u, 3u}) {
    const Operator& op = ring[0].operators[turn];
    EXPECT_EQ(op.name, kRingMerge);
    EXPECT_EQ(op.traffic_per_token, 3 * 24 * kElement);
    EXPECT_EQ(op.traffic_per_token + op.more_in_gradient, 3 * 60 * kElement);
    EXPECT_EQ(op.kept, KeptPerToken{});
  }
  EXPECT_EQ(ring[0].operators[4].name, "attention out");
}

// A token indexer and scores kept in memory produce no partial outputs to merge.
TEST(ContextParallel, OnlyFusedAttentionIsMerged) {
  Layer chooser = attention(kHeads, true);
  chooser.operators.back().name = "index scores";
  for (const Layer& layer : {chooser, unfused_attention(kHeads), rms_norm(32)})
    EXPECT_EQ(shared_by({.context = 4}, layer), std::vector<Layer>{layer});
}

TEST(ContextParallel, ByHeadsFewerKeysThanDevicesAreRepeated) {
  const Parallelism by_heads{.tensor = 2, .context = 2, .context_by = ContextBy::Ulysses};
  EXPECT_EQ(shared_by(by_heads, around(attention(kHeads, true))),
            std::vector<Layer>{around(attention({4, 4, 8, 6}, true))});
  const AttentionHeads enough{4, 4, 8, 6};
  EXPECT_EQ(shared_by(by_heads, attention(enough, true)), std::vector<Layer>{attention(enough, true)});
}

}  // namespace
}  // namespace spillway
