// Slab times as sums of operator times.
#include "cost/slabs/slab_time.h"

#include <gtest/gtest.h>

#include <array>

#include "cost/layers/vision.h"
#include "small_slab.h"

namespace spillway {
namespace {

SlabTimes slab(std::span<const Layer> layers, Gradients gradients = kBothGradients,
               const Recomputation& recompute = {}, Seconds host = Seconds()) {
  return slab_times(slab_operators(layers, recompute), Split(), kSixtyFour, small_times(), gradients, {host});
}

// Alternate repeats half of the products, all those of experts, every norm and no attention.
TEST(SlabTimes, AlternateRepeatsAllButAttentionAndHalfOfTheProducts) {
  const auto again = [](const Layer& layer) {
    const std::vector<Layer> layers = {layer};
    return (slab(layers, kBothGradients, Recompute::Alternate).input_gradient - slab(layers).input_gradient) /
           slab(layers).forward;
  };
  EXPECT_NEAR(again(linear("up", 64, 64, Share::Columns)), 0.5, 1e-9);
  EXPECT_NEAR(again(rms_norm(64)), 1, 1e-9);
  EXPECT_NEAR(again(attention(AttentionHeads{4, 4, 16, 16}, true)), 0, 1e-9);
  Layer grouped = routed_experts(64, 32, 8, 2);
  std::erase_if(grouped.operators, [](const Operator& op) { return op.kind != OperatorKind::GroupedGemm; });
  EXPECT_NEAR(again(grouped), 1, 1e-9);
}

TEST(CountedOperators, MergesEqualOnes) {
  const std::vector<Layer> layers(3, vision_layer(64, 4, 256));
  const std::vector<CountedOperator> counted = slab_operators(layers).counted;
  // A layer's two norms are equal, and so are its two residuals. Qkv, rotary, attention, out, up, activation
  // and down differ.
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

// A layer of width 8 with two heads over 10 tokens, at 1e6 FLOP/s and 3e5 B/s: some operators are bound by
// memory, some by computing. Forward: the norm moves 10 x 16 numbers of 2 bytes; qkv computes 2 x 10 x 8 x 24
// and moves 2 (80 + 192 + 240) bytes, which is faster; attention computes 2 x 50 x 2 x 8 and moves 10 x 4 x 8
// numbers, which takes longer; the output's product computes 1280 and moves 2 (80 + 64 + 80); the sum moves
// 10 x 24 numbers. Input gradients: the norm reads its input again; attention computes 2.5 times as much and
// moves twice as much. Weight gradients are read and written in 4 bytes: 192 and 64 of them take longer than
// their products.
TEST(SlabTimes, AreTheLongerOfComputingAndMemoryOperatorByOperator) {
  Accelerator accelerator = small_platform().accelerator;
  accelerator.peak.value = FlopsPerSecond(1e6);
  accelerator.memory_bandwidth.value = BytesPerSecond(3e5);
  const std::vector<Layer> layers = {rms_norm(8) + linear("qkv", 8, 24, Share::Columns) +
                                     attention(AttentionHeads{2, 2, 4, 4}, true) +
                                     linear("out", 8, 8, Share::Rows) + residual(8)};
  constexpr std::array<Sequences, 1> kTen = {{{1, 10}}};
  const SlabTimes times =
      slab_times(slab_operators(layers), Split(), {10, kTen}, OperatorTimes(accelerator), kBothGradients, {});
  EXPECT_NEAR(times.forward.value(), 3840 / 1e6 + (320 + 640 + 448 + 480) / 3e5, 1e-12);
  EXPECT_NEAR(times.input_gradient.value(), 3840 / 1e6 + (480 + 1280 + 448 + 480) / 3e5, 1e-12);
  EXPECT_NEAR(times.weight_gradient.value(), (1536 + 512) / 3e5, 1e-12);
  EXPECT_NEAR(times.attention_forward.value(), 640 / 3e5, 1e-12);
  EXPECT_NEAR(times.attention_backward.value(), 1280 / 3e5, 1e-12);
}

TEST(SlabTimes, OfNoTokensAreNothing) {
  const std::vector<Layer> layers(1, vision_layer(64, 4, 256));
  const SlabTimes none = slab_times(slab_operators(layers, Recompute::Full), Split(), {0, {}}, small_times(),
                                    kBothGradients, {microseconds(5)});
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
  EXPECT_NEAR(slab(layers, kBothGradients, Recompute::Full).input_gradient.value(),
              (none.input_gradient + none.forward).value(), 1e-15);
  EXPECT_NEAR(slab(layers, kBothGradients, Recompute::Selective).input_gradient.value(),
              (none.input_gradient + none.attention_forward).value(), 1e-15);
}

// Keys and values are also sent while the device waits for its host. Otherwise a slower device, whose
// attention hides more of them, would be faster.
TEST(SlabTimes, HideARingUnderAttentionAndUnderWaitingForTheHost) {
  const std::vector<Layer> layers(2, vision_layer(64, 4, 256));
  const SlabTimes device = slab(layers),
                  waiting = slab(layers, kBothGradients, Recompute::None, milliseconds(1));
  EXPECT_GT(waiting.forward, device.forward);
  EXPECT_NEAR((waiting.attention_forward - device.attention_forward).value(),
              (waiting.forward - device.forward).value(), 1e-15);
  EXPECT_NEAR((waiting.attention_backward - device.attention_backward).value(),
              (waiting.input_gradient - device.input_gradient).value(), 1e-15);
}

// The layer has 11 operators forward, as many input gradients, and 4 weight gradients, those of its products.
TEST(SlabTimes, TakeAtLeastWhatTheHostNeedsToIssueThem) {
  const std::vector<Layer> layers(1, vision_layer(64, 4, 256));
  const SlabTimes slow = slab(layers, kBothGradients, Recompute::None, Seconds(1));
  EXPECT_EQ(slow.forward, Seconds(11));
  EXPECT_EQ(slow.input_gradient, Seconds(11));
  EXPECT_EQ(slow.weight_gradient, Seconds(4));
  const SlabTimes fast = slab(layers, kBothGradients, Recompute::None, Seconds(1e-15));
  EXPECT_EQ(fast.forward, slab(layers).forward);
}

}  // namespace
}  // namespace spillway
