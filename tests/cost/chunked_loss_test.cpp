// A loss in chunks, by hand: what is kept, what a pass computes, and how many kernels it takes.
#include "cost/layers/chunked_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "cost/layers/execution.h"
#include "cost/slabs/slab_memory.h"
#include "cost/slabs/slab_time.h"
#include "small_platform.h"
#include "support/property.h"

namespace spillway {
namespace {

constexpr std::uint64_t kWidth = 64, kRows = 1024;
constexpr Gradients kOfInput{.weight = false, .input = true};

ChunkedLoss in_chunks(bool forward, double chunks) {
  return {forward, Evidence::Assumed, "this test", Sourced<double>{chunks, Evidence::Assumed, "this test"}};
}

std::vector<Layer> head_alone(const std::optional<ChunkedLoss>& how, Gradients gradients, bool fused = true) {
  std::vector<Layer> layers = {linear("mlp down", kWidth, kWidth, Share::Rows) +
                               head(kWidth, kRows, rms_norm(kWidth))};
  Framework framework;
  framework.fused_loss = fused;
  framework.chunked_loss = how;
  run_by(framework, layers, LoadUnit::Token, gradients);
  return layers;
}

const Operator& operator_named(const std::vector<Layer>& layers, std::string_view name) {
  return *std::ranges::find(layers[0].operators, name, &Operator::name);
}

Held held_by_head(const std::vector<Layer>& layers, Gradients gradients, double tokens,
                  std::uint32_t tensor = 1) {
  Parallelism parallelism;
  parallelism.tensor = tensor;
  return SlabMemory(layers, {LoadUnit::Token, kWidth, gradients, {}}, parallelism)({tokens, 0});
}

// Two bytes an element. The fused loss keeps logits of 1024; in chunks nothing of them stays. The gradient of
// the weights is there once for all tokens, and split over the vocabulary.
TEST(ChunkedLoss, KeepsNothingAsWideAsTheVocabulary) {
  const auto kept = [](const std::optional<ChunkedLoss>& how, Gradients gradients, double tokens,
                       std::uint32_t tensor = 1) {
    return held_by_head(head_alone(how, gradients), gradients, tokens, tensor).activations;
  };
  const Bytes all = kept({}, kAllGradients, 100), frozen = kept({}, kOfInput, 100);
  const Bytes logits(2.0 * kRows * 100), weights(2.0 * kRows * kWidth), input(2.0 * kWidth * 100);
  EXPECT_EQ(all - kept(in_chunks(false, 8), kAllGradients, 100), logits);
  EXPECT_EQ(all - kept(in_chunks(true, 8), kAllGradients, 100), logits - weights);
  EXPECT_EQ(frozen - kept(in_chunks(true, 8), kOfInput, 100), logits - input);
  EXPECT_EQ(kept({}, kAllGradients, 100, 4) - kept(in_chunks(true, 8), kAllGradients, 100, 4),
            (logits - weights) / 4.0);
}

// The product holds its input and a chunk of its output; the softmax of several kernels is 4 bytes beside 4
// of logits.
TEST(ChunkedLoss, HoldsOneChunkWhileItRuns) {
  const auto most = [](bool fused, double chunks) {
    return held_by_head(head_alone(in_chunks(false, chunks), kAllGradients, fused), kAllGradients, 64)
        .forward_workspace;
  };
  EXPECT_EQ(most(true, 4) - most(true, 8), Bytes(2.0 * kRows * 64 / 8));
  EXPECT_EQ(most(false, 1) - most(false, 2), Bytes(8.0 * kRows * 64 / 2));
}

const OperatorTimes& priced() {
  static const OperatorTimes times(small_platform().accelerator);
  return times;
}

SlabTimes times_of(const std::vector<Layer>& layers, Gradients gradients, double tokens) {
  const std::array<Sequences, 1> sequence = {{{1, tokens}}};
  return slab_times(slab_operators(layers), Split(), {tokens, sequence}, priced(), gradients, {});
}

double in_all(const SlabTimes& times) {
  return (times.forward + times.input_gradient + times.weight_gradient).value();
}

// Without a weight gradient, one chunk is all of it: computed in the forward it takes as long, and made again
// it takes its forward twice.
RC_GTEST_PROP(ChunkedLoss, InOneChunkComputesTheSame, ()) {
  const double tokens = *rc::gen::inRange(1, 5000);
  const bool fused = *rc::gen::arbitrary<bool>();
  const SlabTimes plain = times_of(head_alone({}, kOfInput, fused), kOfInput, tokens);
  const SlabTimes forward = times_of(head_alone(in_chunks(true, 1), kOfInput, fused), kOfInput, tokens);
  const SlabTimes again = times_of(head_alone(in_chunks(false, 1), kOfInput, fused), kOfInput, tokens);
  const auto near = [](double a, double b) { return std::abs(a - b) < 1e-12 * b; };
  RC_ASSERT(near(in_all(forward), in_all(plain)));
  RC_ASSERT(forward.forward > plain.forward);
  RC_ASSERT(again.forward == plain.forward);
  RC_ASSERT(near((again.input_gradient - again.recomputed).value(), plain.input_gradient.value()));
  RC_ASSERT(again.recomputed > Seconds());
}

// The weight gradient is part of the pass that has the logits.
TEST(ChunkedLoss, ComputesAllGradientsWhereTheLogitsAre) {
  const auto alone = [](const std::optional<ChunkedLoss>& how, Gradients gradients) {
    std::vector<Layer> layers = head_alone(how, gradients);
    std::erase_if(layers[0].operators, [](const Operator& op) { return op.name == "mlp down"; });
    return times_of(layers, gradients, 512);
  };
  for (const bool forward : {true, false}) {
    const SlabTimes all = alone(in_chunks(forward, 4), kAllGradients),
                    frozen = alone(in_chunks(forward, 4), kOfInput);
    EXPECT_EQ(all.weight_gradient, Seconds());
    EXPECT_EQ(all.forward > frozen.forward, forward);
    EXPECT_EQ(all.input_gradient > frozen.input_gradient, !forward);
  }
}

// By hand: four products of 16 rows each way and four sums of BF16 gradients, then one into FP32.
TEST(ChunkedLoss, AddsTheWeightGradientChunkByChunk) {
  const std::array<Sequences, 1> sequence = {{{1, 64}}};
  const std::vector<Layer> layers = head_alone(in_chunks(true, 4), kAllGradients);
  const OperatorTimes& times = priced();
  const double weights = kRows * kWidth;
  const Seconds added = times.accumulating(times.gemm({kRows, kWidth, 16}), Bytes(4 * weights)).time;
  const Seconds expected = 4 * times.gemm({16, kRows, kWidth}).time +
                           4 * times.gemm({16, kWidth, kRows}).time + 4 * added +
                           times.memory(Bytes(10 * weights)).time;
  const OperatorPasses passes =
      operator_passes(operator_named(layers, "logits"), Split(), {64, sequence}, times);
  EXPECT_NEAR(passes.forward.time.value(), expected.value(), 1e-12 * expected.value());
  EXPECT_EQ(passes.input_gradient.time + passes.weight_gradient.time, Seconds());
}

TEST(ChunkedLoss, LaunchesTheKernelsOfEveryChunk) {
  const Kernels forward = operator_named(head_alone(in_chunks(true, 4), kAllGradients), "logits").kernels;
  EXPECT_EQ(forward.forward, 4 * 3);
  const Kernels again = operator_named(head_alone(in_chunks(false, 4), kAllGradients), "logits").kernels;
  EXPECT_EQ(again.forward, 4);
  EXPECT_EQ(again.input_gradient, 4 * 2);
  EXPECT_EQ(operator_named(head_alone(in_chunks(true, 4), kOfInput), "loss").kernels.forward, 4 * 2);
}

// Llama 3 8B has 128,256 rows of 4,096, Qwen2.5-VL 7B 152,064 of 3,584: Liger-Kernel cuts 8,192 tokens of
// either into chunks of 256.
TEST(ChunkedLoss, HasLigersChunks) {
  const auto chunks = [](std::uint64_t width, std::uint64_t rows) {
    Layer layer = head(width, rows, rms_norm(width));
    ChunkedLoss how;
    chunk_loss(how, kAllGradients, layer);
    return layer.operators.back().chunks.count;
  };
  EXPECT_EQ(chunks(4096, 128256), 32);
  EXPECT_EQ(chunks(3584, 152064), 32);
  EXPECT_EQ(chunks(4096, 4000), 1);
}

}  // namespace
}  // namespace spillway
