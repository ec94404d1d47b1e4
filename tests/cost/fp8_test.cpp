// FP8 products by hand: their time, the traffic of their casts, and the activations they save. BF16 elements
// are two bytes.
#include "cost/layers/fp8.h"

#include <gtest/gtest.h>

#include <array>

#include "cost/layers/conventions.h"
#include "cost/layers/layer_cost.h"
#include "cost/operators/operator_passes.h"
#include "cost/slabs/slab_footprint.h"
#include "cost/slabs/slab_memory.h"
#include "small_accelerator.h"

namespace spillway {
namespace {

constexpr double kFp8Tokens = 512;
constexpr std::array<Sequences, 1> kFp8Sequence = {{{1, kFp8Tokens}}};

Accelerator fp8_accelerator() {
  Accelerator accelerator = small_accelerator();
  accelerator.fp8_peak = {2 * accelerator.peak.value, Evidence::Vendor, "a test"};
  return accelerator;
}

std::vector<Layer> in_fp8(Fp8Scaling scaling, std::vector<Layer> layers) {
  run_in_fp8(scaling, {.weight = true, .input = true}, layers);
  return layers;
}

OperatorPasses passes_of(const Layer& layer, const OperatorTimes& times, const Split& split = {}) {
  return operator_passes(layer.operators.front(), split, {kFp8Tokens, kFp8Sequence}, times);
}

// Without a table, FP8 products run at BF16's efficiency and twice its peak. The forward casts its input, the
// input gradient its incoming gradient: 4 bytes an element, or 6 where a scale needs a first read.
TEST(Fp8, ProductsTakeThePeaksRatioAndTheirCasts) {
  const OperatorTimes times(fp8_accelerator());
  const Layer bf16 = linear("up", 4096, 8192, Share::Inner);
  const OperatorPasses before = passes_of(bf16, times);
  const auto moved = [&](double bytes) { return times.memory(Bytes(bytes)).time; };
  for (const auto& [scaling, bytes] : {std::pair{Fp8Scaling::Delayed, 4.0},
                                       {Fp8Scaling::Tensorwise, 6.0},
                                       {Fp8Scaling::Blockwise, 2 + 2 * (1 + 4.0 / 128)},
                                       {Fp8Scaling::Mxfp8, 2 + 2 * (1 + 1.0 / 32)}}) {
    const OperatorPasses now = passes_of(in_fp8(scaling, {bf16})[0], times);
    EXPECT_NEAR(now.forward.time.value(),
                (before.forward.time / 2 + moved(bytes * kFp8Tokens * 4096)).value(), 1e-12);
    EXPECT_NEAR(now.input_gradient.time.value(),
                (before.input_gradient.time / 2 + moved(bytes * kFp8Tokens * 8192)).value(), 1e-12);
    EXPECT_LT(now.weight_gradient.time, before.weight_gradient.time);
    EXPECT_EQ(now.forward.evidence, Evidence::Assumed);
  }
}

// A gathered input is cast before the gather, by each device for its share.
TEST(Fp8, CastsWhatLiesOutsideASublayerByItsShare) {
  const OperatorTimes times(fp8_accelerator());
  const Layer layer = in_fp8(Fp8Scaling::Delayed, {linear("up", 4096, 8192, Share::Columns)})[0];
  const Split whole{.tensor = 4}, shared{.tensor = 4, .sequence = 4};
  const Bytes casts(4 * kFp8Tokens * 4096);
  EXPECT_NEAR(
      (passes_of(layer, times, whole).forward.time - passes_of(layer, times, shared).forward.time).value(),
      (times.memory(casts).time - times.memory(casts / 4).time).value(), 1e-12);
}

// FP8 tables apply at their rows, and only to products in FP8.
TEST(Fp8, TablesAreAsked) {
  Accelerator accelerator = fp8_accelerator();
  accelerator.operators.edit().fp8_gemms = {{512, 8192, 4096, microseconds(77)}};
  accelerator.operators.edit().fp8_grouped_gemms = {{8, 512, 64, 32, microseconds(33)}};
  const OperatorTimes times(accelerator), without(fp8_accelerator());
  EXPECT_NEAR(times.fp8_gemm({512, 8192, 4096}).time.value(), 77e-6, 1e-12);
  EXPECT_EQ(times.fp8_gemm({512, 8192, 4096}).evidence, Evidence::Measured);
  EXPECT_NEAR(times.fp8_grouped_gemm({8, 512, 64, 32}).time.value(), 33e-6, 1e-12);
  EXPECT_EQ(times.gemm({512, 8192, 4096}).time, without.gemm({512, 8192, 4096}).time);
}

// Inputs of products shrink to half; norms and attention keep the same. The head and the router stay in BF16.
TEST(Fp8, KeepsInputsOfProductsInOneByte) {
  const Layer product = linear("qkv", 64, 192, Share::Columns), norm = rms_norm(64);
  const auto kept = [](const Layer& layer) { return cost_of(layer).kept.for_backward; };
  const Layer both = in_fp8(Fp8Scaling::Tensorwise, {norm + product})[0];
  EXPECT_EQ(kept(both), kept(norm) + kept(product) / 2);
  const Layer head_alone = head(64, 100, rms_norm(64));
  EXPECT_EQ(in_fp8(Fp8Scaling::Blockwise, {head_alone})[0], head_alone);
  const Layer experts = in_fp8(Fp8Scaling::Delayed, {routed_experts(64, 32, 8, 2)})[0];
  EXPECT_EQ(experts.operators[0].cast, Bytes());  // the router
  EXPECT_EQ(cost_of(experts).fp8_experts, cost_of(experts).expert_parameters);
}

// Each weight takes two bytes more on every device that holds it.
TEST(Fp8, WeightsHaveBothCopiesBeside) {
  const Layer bf16 = linear("qkv", 64, 192, Share::Columns) + rms_norm(64);
  const Parallelism parallelism{.tensor = 4};
  const auto state = [&](const Layer& layer) {
    return model_state(cost_of(layer), LoadUnit::Token, true, parallelism, 1);
  };
  const ModelState before = state(bf16), now = state(in_fp8(Fp8Scaling::Blockwise, {bf16})[0]);
  EXPECT_EQ(now.parameters - before.parameters, Bytes(2.0 * 64 * 192 / 4));
  EXPECT_EQ(now.optimizer, before.optimizer);
}

}  // namespace
}  // namespace spillway
