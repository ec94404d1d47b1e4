// Operators on a device that does 1e12 FLOP/s and moves 1e12 B/s, by hand.
#include "cost/operators/operator_passes.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "cost/layers/context_parallel.h"
#include "cost/layers/conventions.h"
#include "small_platform.h"

namespace spillway {
namespace {

constexpr double kRate = 1e12;

OperatorTimes times(double flops = kRate, double bytes = kRate) {
  Accelerator accelerator{"device", chosen(FlopsPerSecond(flops)), chosen(Bytes(1e12)),
                          chosen(BytesPerSecond(bytes))};
  return OperatorTimes(accelerator);
}

OperatorTimes computing_alone() {
  return times(kRate, 1e30);
}

Operator only(const Layer& layer) {
  return layer.operators.at(0);
}

constexpr std::array<Sequences, 1> kTwoOfFour = {{{2, 4}}};
const SlabLoad kEightTokens{8, kTwoOfFour};

void expect_flops(const Estimate& estimate, double flops) {
  EXPECT_DOUBLE_EQ(estimate.time.value(), flops / kRate);
}

// The product is 8 x 16 x 32; each of its two gradients is a product of the same size.
TEST(OperatorPasses, AProductHasTwoGradientsOfItsOwnSize) {
  const Operator op = only(linear("x", 16, 32, Share::Columns));
  const OperatorPasses passes = operator_passes(op, Split(), kEightTokens, computing_alone());
  for (const Estimate& pass : {passes.forward, passes.input_gradient, passes.weight_gradient})
    expect_flops(pass, 2 * 8 * 16 * 32);
}

TEST(OperatorPasses, TensorParallelismSplitsColumnsRowsAndTokens) {
  const Split split = Split::of({.tensor = 4});
  for (const Share share : {Share::Columns, Share::Rows, Share::Tokens}) {
    const Operator op = only(linear("x", 16, 32, share));
    expect_flops(operator_passes(op, split, kEightTokens, computing_alone()).forward, 2 * 8 * 16 * 32 / 4.0);
  }
}

TEST(OperatorPasses, WithoutSequenceParallelismEveryMemberRunsAllTokensOutsideSublayers) {
  const Split split = Split::of({.tensor = 4, .sequence_parallel = false});
  const Operator product = only(linear("x", 16, 32, Share::Tokens));
  expect_flops(operator_passes(product, split, kEightTokens, computing_alone()).forward, 2 * 8 * 16 * 32);
  const Operator norm = only(rms_norm(16));
  EXPECT_DOUBLE_EQ(operator_passes(norm, split, kEightTokens, times()).forward.time.value(),
                   8 * 2 * 16 * 2 / kRate);
}

// Shapes are named as a table stores them: 8 rows of 16 against 16 x 32 over four members.
TEST(OperatorPasses, NamesTheShapeOnTheDevice) {
  const Operator op = only(linear("x", 16, 32, Share::Columns));
  EXPECT_EQ(shape_text(op, Split::of({.tensor = 4}), kEightTokens), "m=8 n=8 k=16");
}

// A ring turn reads two parts of 16 outputs and writes one, for 8 tokens of 2 bytes. Its backward does the
// same for 16 queries, 8 keys and 8 values. With tensor parallelism of 2 it moves half as much.
TEST(OperatorPasses, ATurnOfARingIsMergedAtTheSpeedOfMemory) {
  std::vector<Layer> ring = {attention({2, 1, 8, 8}, true)};
  share_sequences({.context = 2}, ring);
  const Operator merge = ring[0].operators.at(1);
  for (const std::uint32_t tensor : {1u, 2u}) {
    const Split split = Split::of({.tensor = tensor, .context = 2});
    const OperatorPasses passes = operator_passes(merge, split, kEightTokens, times());
    EXPECT_DOUBLE_EQ(passes.forward.time.value(), 8 * 2 * 3 * 16 / kRate / tensor);
    EXPECT_DOUBLE_EQ(passes.input_gradient.time.value(), 8 * 2 * 3 * 32 / kRate / tensor);
    EXPECT_EQ(passes.weight_gradient.time, Seconds());
  }
}

// A weight gradient reads and writes FP32 sums: 8 bytes for each of 512 weights.
TEST(OperatorPasses, AccumulationBoundsTheWeightGradient) {
  const Operator op = only(linear("x", 16, 32, Share::Columns));
  const OperatorPasses passes = operator_passes(op, Split(), kEightTokens, times(1e30, kRate));
  EXPECT_GE(passes.weight_gradient.time.value(), 8.0 * 512 / kRate);
}

// A product of 8192 FLOPs that adds to sums of 4096 bytes takes longer by the platform's exposed share, and
// never less than its memory traffic.
TEST(OperatorPasses, AccumulationIsExposedAsFarAsStated) {
  const Operator op = only(linear("x", 16, 32, Share::Columns));
  const auto weight_gradient = [&](std::optional<double> exposed, double bytes) {
    Accelerator accelerator{"device", chosen(FlopsPerSecond(kRate)), chosen(Bytes(1e12)),
                            chosen(BytesPerSecond(bytes))};
    if (exposed) accelerator.exposed_accumulation = {*exposed, Evidence::Derived, "a test"};
    return operator_passes(op, Split(), kEightTokens, OperatorTimes(accelerator)).weight_gradient;
  };
  EXPECT_DOUBLE_EQ(weight_gradient({}, kRate).time.value(), 8192 / kRate);
  EXPECT_DOUBLE_EQ(weight_gradient(0.5, kRate).time.value(), (8192 + 0.5 * 4096) / kRate);
  EXPECT_EQ(weight_gradient(0.5, kRate).evidence,
            weaker(Evidence::Derived, weight_gradient({}, kRate).evidence));
  EXPECT_DOUBLE_EQ(weight_gradient(0.5, kRate / 8).time.value(), 4096 * 8 / kRate);
}

// Each of two sequences of four tokens attends causally: half of 2 x 4^2 pairs, 2 heads of 8 + 8, 2 FLOPs
// each.
TEST(OperatorPasses, AttentionRunsPerSequence) {
  const Operator op = only(attention({2, 2, 8, 8}, true));
  const OperatorPasses passes = operator_passes(op, Split(), kEightTokens, computing_alone());
  expect_flops(passes.forward, 0.5 * 2 * 16 * 2 * 2 * 16);
  EXPECT_GT(passes.input_gradient.time, passes.forward.time);
  EXPECT_EQ(passes.weight_gradient.time, Seconds());
}

TEST(OperatorPasses, ContextParallelismSharesAttentionOut) {
  const Operator op = only(attention({2, 2, 8, 8}, true));
  const Estimate whole = operator_passes(op, Split(), kEightTokens, computing_alone()).forward;
  const Estimate half =
      operator_passes(op, Split::of({.context = 2}), kEightTokens, computing_alone()).forward;
  EXPECT_DOUBLE_EQ(half.time.value(), whole.time.value() / 2);
}

// Whole sequences with half the heads take the same computing as half of each sequence.
TEST(OperatorPasses, UlyssesSharesHeadsOut) {
  const Operator op = only(attention({4, 4, 8, 8}, true));
  const Split ring = Split::of({.context = 2}),
              ulysses = Split::of({.context = 2, .context_by = ContextBy::Ulysses});
  EXPECT_EQ(shape_text(op, ring, kEightTokens), "length=4 heads=4/4 width=8/8");
  EXPECT_EQ(shape_text(op, ulysses, kEightTokens), "length=4 heads=2/2 width=8/8");
  EXPECT_DOUBLE_EQ(operator_passes(op, ulysses, kEightTokens, computing_alone()).forward.time.value(),
                   operator_passes(op, ring, kEightTokens, computing_alone()).forward.time.value());
}

// Unfused attention computes the full square of scores, not the causal half.
TEST(OperatorPasses, UnfusedAttentionComputesTheWholeSquare) {
  const AttentionHeads heads{2, 2, 8, 8};
  const Estimate fused =
      operator_passes(only(attention(heads, true)), Split(), kEightTokens, computing_alone()).forward;
  const Layer unfused = unfused_attention(heads);
  const Estimate products =
      operator_passes(unfused.operators[0], Split(), kEightTokens, computing_alone()).forward;
  EXPECT_DOUBLE_EQ(products.time.value(), 2 * fused.time.value());
  // Softmax reads and writes 2 x 16 scores of 2 heads; dropout does the same and adds a mask.
  const Estimate softmax = operator_passes(unfused.operators[1], Split(), kEightTokens, times()).forward;
  EXPECT_DOUBLE_EQ(softmax.time.value(), 2 * 16 * 2 * 9 / kRate);
}

// The forward moves in + out; the gradient also reads the kept input.
TEST(OperatorPasses, AGradientReadsTheKeptInput) {
  const Operator op = only(nonlinear("x", 32, 16, Share::Inner));
  const OperatorPasses passes = operator_passes(op, Split(), kEightTokens, times());
  EXPECT_DOUBLE_EQ(passes.forward.time.value(), 8 * 48 * 2 / kRate);
  EXPECT_DOUBLE_EQ(passes.input_gradient.time.value(), 8 * (48 + 32) * 2 / kRate);
}

// Each of 8 tokens goes to 2 of 4 experts over two devices: 16 rows in all, 8 a device. The busiest device
// has half as many again.
TEST(OperatorPasses, SkewedRoutingLoadsTheBusiestDevice) {
  const Layer layer = routed_experts(16, 8, 4, 2);
  const Operator* up = nullptr;
  for (const Operator& op : layer.operators)
    if (op.kind == OperatorKind::GroupedGemm && !up) up = &op;
  ASSERT_TRUE(up);
  const auto forward = [&](const Parallelism& parallelism) {
    return operator_passes(*up, Split::of(parallelism), kEightTokens, computing_alone()).forward.time;
  };
  const double rows_by_width = 8 * 2 * 2.0 * 16 * 16;
  EXPECT_DOUBLE_EQ(forward({.tensor = 2, .expert = 2}).value(), rows_by_width / 2 / kRate);
  EXPECT_DOUBLE_EQ(forward({.tensor = 2, .expert = 2, .expert_imbalance = 1.5}).value(),
                   1.5 * rows_by_width / 2 / kRate);
}

}  // namespace
}  // namespace spillway
