// The roofline and its backward, with round numbers.
#include "cost/roofline.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

// Per token 100 FLOPs with weights, 10 between activations, 40 bytes; per pair 2 FLOPs; 1000 bytes of
// weights.
Slab slab() {
  LayerCost cost;
  cost.weights_per_token = Flops(100);
  cost.mixing_per_token = Flops(10);
  cost.mixing_per_pair = Flops(2);
  cost.activations_per_token = Bytes(40);
  return {cost, Bytes(1000)};
}

constexpr DeviceLoad kLoad{5, 25};  // 500 FLOPs with weights, 50 + 50 between activations, 200 bytes

void expect_work(const Work& work, double flops, double bytes) {
  EXPECT_EQ(work.flops, Flops(flops));
  EXPECT_EQ(work.traffic, Bytes(bytes));
}

TEST(Roofline, IsComputeOrMemoryWhicheverTakesLonger) {
  const Rates rates{FlopsPerSecond(100), BytesPerSecond(10)};
  EXPECT_EQ(roofline({Flops(1000), Bytes(99)}, rates), Seconds(10));
  EXPECT_EQ(roofline({Flops(1000), Bytes(100)}, rates), Seconds(10));
  EXPECT_EQ(roofline({Flops(1000), Bytes(200)}, rates), Seconds(20));
}

// With few tokens the weights' 1000 bytes rule; with many the FLOPs do: 1000 + 40 n = 110 n + 2 n^2 at n
// = 11.03.
TEST(Roofline, TurnsFromMemoryToComputeAsTokensGrow) {
  const Rates rates{FlopsPerSecond(1), BytesPerSecond(1)};
  EXPECT_EQ(roofline(forward_work(slab(), {10, 100}), rates), Seconds(1000 + 40 * 10));
  EXPECT_EQ(roofline(forward_work(slab(), {11, 121}), rates), Seconds(110 * 11 + 2 * 121));
}

TEST(ForwardWork, ReadsWeightsOnceAndActivationsPerToken) {
  expect_work(forward_work(slab(), kLoad), 600, 1200);
}

// Both gradients: twice the forward. The weight gradient alone reads activations and accumulates 1000 / 2
// gradients, read and written in 4 bytes.
TEST(BackwardWork, IsTwiceTheForwardWhereBothGradientsAre) {
  expect_work(backward_work(slab(), kLoad, {true, true}, Recompute::None), 1200, 1200 + 200 + 4000);
}

// Frozen behind a trainable layer: weights once, products between activations for both their factors.
TEST(BackwardWork, PassesAGradientThroughAFrozenLayer) {
  expect_work(backward_work(slab(), kLoad, {false, true}, Recompute::None), 500 + 2 * 100, 1200);
}

TEST(BackwardWork, IsNothingWithoutGradients) {
  expect_work(backward_work(slab(), kLoad, {false, false}, Recompute::Full), 0, 0);
}

TEST(BackwardWork, AddsWhatIsRecomputed) {
  expect_work(backward_work(slab(), kLoad, {true, true}, Recompute::Selective), 1200 + 100, 5400);
  expect_work(backward_work(slab(), kLoad, {true, true}, Recompute::Full), 1200 + 600, 5400 + 1200);
}

}  // namespace
}  // namespace spillway
