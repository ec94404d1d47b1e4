// Slabs as sums of their operators.
#include "cost/slab_time.h"

#include <gtest/gtest.h>

#include <array>

#include "cost/vision.h"
#include "small_platform.h"

namespace spillway {
namespace {

constexpr std::array<Sequences, 1> kSequence = {{{1, 64}}};
const SlabLoad kLoad{64, kSequence};
constexpr Gradients kBoth{.weight = true, .input = true};

OperatorTimes times() {
  return OperatorTimes(small_platform().accelerator);
}

SlabTimes slab(std::span<const Layer> layers, Gradients gradients = kBoth,
               Recompute recompute = Recompute::None, Seconds host = Seconds()) {
  return slab_times(counted_operators(layers), Split(), kLoad, times(), gradients, recompute, host);
}

TEST(CountedOperators, MergesEqualOnes) {
  const std::vector<Layer> layers(3, vision_layer(64, 4, 256));
  const std::vector<CountedOperator> counted = counted_operators(layers);
  // Two norms and two residuals are equal in a layer; qkv, rotary, attention, out, up, activation, down are
  // not.
  EXPECT_EQ(counted.size(), 9U);
  double all = 0;
  for (const CountedOperator& op : counted) all += op.count;
  EXPECT_EQ(all, 3 * 11);
}

TEST(SlabTimes, AreLinearInEqualLayers) {
  const std::vector<Layer> one(1, vision_layer(64, 4, 256)), four(4, one[0]);
  EXPECT_NEAR(slab(four).forward.value(), 4 * slab(one).forward.value(), 1e-15);
  EXPECT_NEAR(slab(four).backward().value(), 4 * slab(one).backward().value(), 1e-15);
}

TEST(SlabTimes, OfNoTokensAreNothing) {
  const std::vector<Layer> layers(1, vision_layer(64, 4, 256));
  const SlabTimes none = slab_times(counted_operators(layers), Split(), {0, {}}, times(), kBoth,
                                    Recompute::Full, microseconds(5));
  EXPECT_EQ(none.forward, Seconds());
  EXPECT_EQ(none.backward(), Seconds());
}

TEST(SlabTimes, GatesDecideWhatABackwardComputes) {
  const std::vector<Layer> layers(2, vision_layer(64, 4, 256));
  const SlabTimes both = slab(layers);
  EXPECT_EQ(slab(layers, {.weight = false, .input = true}).weight_gradient, Seconds());
  EXPECT_EQ(slab(layers, {.weight = false, .input = true}).input_gradient, both.input_gradient);
  EXPECT_EQ(slab(layers, {.weight = true, .input = false}).input_gradient, Seconds());
}

TEST(SlabTimes, FullRecomputationAddsTheForwardSelectiveAttentionAlone) {
  const std::vector<Layer> layers(2, vision_layer(64, 4, 256));
  const SlabTimes none = slab(layers);
  EXPECT_NEAR(slab(layers, kBoth, Recompute::Full).input_gradient.value(),
              (none.input_gradient + none.forward).value(), 1e-15);
  EXPECT_NEAR(slab(layers, kBoth, Recompute::Selective).input_gradient.value(),
              (none.input_gradient + none.attention_forward).value(), 1e-15);
}

// 11 operators forward, as many input gradients, 4 weight gradients, of the products.
TEST(SlabTimes, TakeAtLeastWhatTheHostNeedsToIssueThem) {
  const std::vector<Layer> layers(1, vision_layer(64, 4, 256));
  const SlabTimes slow = slab(layers, kBoth, Recompute::None, Seconds(1));
  EXPECT_EQ(slow.forward, Seconds(11));
  EXPECT_EQ(slow.input_gradient, Seconds(11));
  EXPECT_EQ(slow.weight_gradient, Seconds(4));
  const SlabTimes fast = slab(layers, kBoth, Recompute::None, Seconds(1e-15));
  EXPECT_EQ(fast.forward, slab(layers).forward);
}

}  // namespace
}  // namespace spillway
