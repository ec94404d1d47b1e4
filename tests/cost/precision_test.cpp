// Narrow products by hand: their time, the traffic of their casts, and the memory they save. BF16 elements
// are two bytes.
#include "cost/layers/precision.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

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

std::vector<Layer> in(const Precision& precision, std::vector<Layer> layers, bool any_layout = false) {
  run_in(precision, any_layout, {.weight = true, .input = true}, layers);
  return layers;
}

std::vector<Layer> in_fp8(Fp8Scaling scaling, std::vector<Layer> layers) {
  return in({.fp8 = scaling}, std::move(layers));
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
  accelerator.operators.edit().fp8.gemms = {{512, 8192, 4096, microseconds(77)}};
  accelerator.operators.edit().fp8.grouped_gemms = {{8, 512, 64, 32, microseconds(33)}};
  const OperatorTimes times(accelerator), without(fp8_accelerator());
  constexpr GemmShape kRow{512, 8192, 4096};
  EXPECT_NEAR(times.gemm(kRow, Operands::Fp8).time.value(), 77e-6, 1e-12);
  EXPECT_EQ(times.gemm(kRow, Operands::Fp8).evidence, Evidence::Measured);
  EXPECT_NEAR(times.grouped_gemm({8, 512, 64, 32}, Operands::Fp8).time.value(), 33e-6, 1e-12);
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
  EXPECT_EQ(cost_of(experts).copies.experts,
            Bytes(2.0 * static_cast<double>(cost_of(experts).expert_parameters)));
}

// Each weight takes two bytes more on every device that holds it.
TEST(Fp8, WeightsHaveBothCopiesBeside) {
  const Layer bf16 = linear("qkv", 64, 192, Share::Columns) + rms_norm(64);
  const Parallelism parallelism{.tensor = 4};
  const auto state = [&](const Layer& layer) {
    return model_state(cost_of(layer), LoadUnit::Token, true, parallelism, 1);
  };
  const ModelState before = state(bf16), now = state(in_fp8(Fp8Scaling::Delayed, {bf16})[0]);
  EXPECT_EQ(now.parameters - before.parameters, Bytes(2.0 * 64 * 192 / 4));
  EXPECT_EQ(now.optimizer, before.optimizer);
}

// Bytes per multiplied weight, in every format, with and without BF16 beside: Hopper has a copy as rows and
// one as columns, Blackwell one where one scale serves both. A bias stays in BF16.
TEST(Precision, PrimaryWeightsHaveNoBf16Copy) {
  constexpr double kWeights = 64 * 192;
  const Layer layer = linear_with_bias("qkv", 64, 192, Share::Columns);
  const auto bytes = [&](const Precision& precision, bool any_layout) {
    const Layer run = in(precision, {layer}, any_layout)[0];
    return model_state(cost_of(run), LoadUnit::Token, true, {}, 1).parameters.value() - 2 * 192;
  };
  const auto fp8 = [](Fp8Scaling scaling, bool primary) {
    return Precision{.fp8 = scaling, .primary_weights = primary};
  };
  for (const Fp8Scaling scaling : {Fp8Scaling::Delayed, Fp8Scaling::Tensorwise}) {
    EXPECT_DOUBLE_EQ(bytes(fp8(scaling, true), false), 2 * kWeights);
    EXPECT_DOUBLE_EQ(bytes(fp8(scaling, true), true), 1 * kWeights);
    EXPECT_DOUBLE_EQ(bytes(fp8(scaling, false), false), 4 * kWeights);
    EXPECT_DOUBLE_EQ(bytes(fp8(scaling, false), true), 3 * kWeights);
  }
  for (const bool any_layout : {false, true}) {
    EXPECT_DOUBLE_EQ(bytes(fp8(Fp8Scaling::Mxfp8, true), any_layout), 2 * (1 + 1.0 / 32) * kWeights);
    EXPECT_DOUBLE_EQ(bytes(fp8(Fp8Scaling::Blockwise, false), any_layout),
                     (2 + 2 * (1 + 4.0 / 128)) * kWeights);
    EXPECT_DOUBLE_EQ(bytes({.fp4 = Fp4Scaling::Nvfp4}, any_layout), (2 + 2 * 0.5625) * kWeights);
  }
}

// ZeRO-3 shares out the weights themselves: BF16, or the copies that replace it.
TEST(Precision, ZeroThreeSharesOutPrimaryWeights) {
  const Layer layer = linear("qkv", 64, 192, Share::Columns);
  const auto bytes = [&](bool primary) {
    const Layer run = in({.fp8 = Fp8Scaling::Delayed, .primary_weights = primary}, {layer})[0];
    return model_state(cost_of(run), LoadUnit::Token, true, {.data = DataParallel::Zero3}, 4).parameters;
  };
  EXPECT_EQ(bytes(true), Bytes(64 * 192 * 2.0 / 4));
  EXPECT_EQ(bytes(false), Bytes(64 * 192 * (2.0 / 4 + 2)));
}

// The product keeps the output of attention as FP8 columns, so attention keeps it in BF16 for itself.
TEST(Precision, AttentionKeepsItsOutputBesideAProductInFp8) {
  const AttentionHeads heads{8, 2, 16, 16};
  const Layer bf16 = attention(heads, true) + linear("attention out", 128, 64, Share::Rows);
  const auto kept = [](const Layer& layer) { return cost_of(layer).kept.for_backward; };
  const Bytes inputs(2.0 * (128 + 2 * 32)), statistics(4.0 * 8), output(2.0 * 128);
  EXPECT_EQ(kept(bf16), inputs + statistics + output);
  EXPECT_EQ(kept(in_fp8(Fp8Scaling::Tensorwise, {bf16})[0]), inputs + statistics + output + output / 2);
}

// Q, K and V take a byte; the output one with delayed scaling and two otherwise.
TEST(Precision, Fp8AttentionKeepsItsInputsInAByte) {
  const Layer bf16 = spillway::attention(AttentionHeads{8, 2, 16, 16}, true);
  const auto kept = [&](Fp8Scaling scaling) {
    return in({.fp8 = scaling, .fp8_attention = true}, {bf16})[0].operators[0].kept.for_backward;
  };
  EXPECT_EQ(kept(Fp8Scaling::Delayed), Bytes(128 + 2 * 32 + 4 * 8 + 128));
  EXPECT_EQ(kept(Fp8Scaling::Mxfp8), Bytes(128 + 2 * 32 + 4 * 8 + 2 * 128));
}

// The forward is as much faster as the platform states, after a cast of Q, K and V; a backward that it does
// not state takes as long as in BF16, after a cast of the output's gradient.
TEST(Precision, Fp8AttentionTakesTheStatedShare) {
  Accelerator accelerator = fp8_accelerator();
  accelerator.fp8_attention_forward = {1.25, Evidence::Measured, "a test"};
  const OperatorTimes times(accelerator);
  const Layer bf16 = spillway::attention(AttentionHeads{8, 2, 16, 16}, true);
  const OperatorPasses before = passes_of(bf16, times);
  const OperatorPasses now =
      passes_of(in({.fp8 = Fp8Scaling::Delayed, .fp8_attention = true}, {bf16})[0], times);
  const auto cast = [&](double elements) { return times.memory(Bytes(3 * kFp8Tokens * elements)).time; };
  EXPECT_NEAR(now.forward.time.value(), (before.forward.time / 1.25 + cast(128 + 2 * 32)).value(), 1e-12);
  EXPECT_NEAR(now.input_gradient.time.value(), (before.input_gradient.time + cast(128)).value(), 1e-12);
  EXPECT_EQ(now.input_gradient.evidence, Evidence::Assumed);
}

// Rows of FP8 and FP4 are gathered, but BF16 for mxfp8 and where it is kept.
TEST(Precision, GathersPrimaryWeightsAsTheirRows) {
  const auto gathered = [](Fp8Scaling scaling, bool primary) {
    return gathered_weight({.fp8 = scaling, .primary_weights = primary});
  };
  EXPECT_EQ(gathered(Fp8Scaling::Delayed, true), Bytes(1));
  EXPECT_EQ(gathered(Fp8Scaling::Blockwise, true), Bytes(1));
  EXPECT_EQ(gathered(Fp8Scaling::Mxfp8, true), Bytes(2));
  EXPECT_EQ(gathered(Fp8Scaling::Delayed, false), Bytes(2));
  EXPECT_EQ(gathered_weight({.fp4 = Fp4Scaling::Nvfp4, .primary_weights = true}), Bytes(0.5));
}

// Both heads of a model with a prediction, but nothing else, run in FP8 in addition; a head of a BF16 layer,
// too.
TEST(Precision, TheHeadIsNarrowIfStated) {
  const Layer last =
      linear("up", 64, 64, Share::Inner) + head(64, 512, rms_norm(64)) + head(64, 512, rms_norm(64), true);
  const auto narrow = [&](const Precision& precision) {
    std::vector<std::string_view> names;
    const std::vector<Layer> layers = in(precision, {last});
    for (const Operator& op : layers[0].operators)
      if (op.operands == Operands::Fp8) names.push_back(op.name);
    return names;
  };
  using Names = std::vector<std::string_view>;
  const Fp8Scaling mxfp8 = Fp8Scaling::Mxfp8;
  EXPECT_EQ(narrow({.fp8 = mxfp8}), Names{"up"});
  EXPECT_EQ(narrow({.fp8 = mxfp8, .output_projection = true}), (Names{"up", kLogitsName, kLogitsName}));
  EXPECT_EQ(narrow({.fp8 = mxfp8, .output_projection = true, .end_in_bf16 = 1}),
            (Names{kLogitsName, kLogitsName}));
}

// A head in chunks keeps its input before the cast, or its gradient.
TEST(Precision, ANarrowHeadInChunksKeepsBf16) {
  const Layer whole = linear(kLogitsName, 64, 512, Share::Columns);
  Layer chunked = whole;
  chunked.operators[0].chunks.where = InChunks::Where::Backward;
  const auto kept = [](const Layer& layer) {
    return in({.fp8 = Fp8Scaling::Mxfp8, .output_projection = true}, {layer})[0]
        .operators[0]
        .kept.for_backward;
  };
  EXPECT_EQ(kept(whole), whole.operators[0].kept.for_backward * (fp8_element(Fp8Scaling::Mxfp8) / kElement));
  EXPECT_EQ(kept(chunked), whole.operators[0].kept.for_backward);
}

// SwiGLU's input is cast down (read, written as a byte) and up again (written and read in BF16).
TEST(Precision, StoresTheInputOfSwigluInFp8) {
  const OperatorTimes times(small_accelerator());
  const Layer bf16 = nonlinear("swiglu", 64, 32, Share::Inner);
  const Layer stored = in({.fp8_activation_input = true}, {bf16})[0];
  EXPECT_EQ(stored.operators[0].kept.for_backward, Bytes(64));
  const OperatorPasses before = passes_of(bf16, times), now = passes_of(stored, times);
  const auto moved = [&](double bytes) { return times.memory(Bytes(bytes * 64 * kFp8Tokens)).time; };
  const Seconds read_less = times.memory(Bytes(2 * 64 * kFp8Tokens), 0).time / 2;
  EXPECT_NEAR(now.forward.time.value(), (before.forward.time + moved(3)).value(), 1e-12);
  EXPECT_NEAR(now.input_gradient.time.value(), (before.input_gradient.time - read_less + moved(4)).value(),
              1e-12);
  EXPECT_EQ(in({.fp8_activation_input = true}, {rms_norm(64)})[0], rms_norm(64));
}

// NVFP4: 4.5 bits an element with its scale; a cast reads twice, because it needs the tensor's largest
// element.
TEST(Precision, Nvfp4CastsAndKeepsItsElements) {
  Accelerator accelerator = fp8_accelerator();
  accelerator.fp4_peak = {4 * accelerator.peak.value, Evidence::Vendor, "a test"};
  const OperatorTimes times(accelerator);
  const Layer bf16 = linear("up", 4096, 8192, Share::Inner);
  const Layer fp4 = in({.fp4 = Fp4Scaling::Nvfp4}, {bf16})[0];
  const OperatorPasses before = passes_of(bf16, times), now = passes_of(fp4, times);
  const Seconds cast = times.memory(Bytes((2 + 2 + 2 * 0.5625) * kFp8Tokens * 4096)).time;
  EXPECT_NEAR(now.forward.time.value(), (before.forward.time / 4 + cast).value(), 1e-12);
  EXPECT_EQ(now.forward.evidence, Evidence::Assumed);
  EXPECT_EQ(fp4.operators[0].kept.for_backward, Bytes(0.5625 * 4096));
  accelerator.operators.edit().fp4.gemms = {{512, 8192, 4096, microseconds(7)}};
  const OperatorTimes measured(accelerator);
  EXPECT_NEAR(measured.gemm({512, 8192, 4096}, Operands::Fp4).time.value(), 7e-6, 1e-12);
  EXPECT_EQ(measured.gemm({512, 8192, 4096}, Operands::Fp8).evidence, Evidence::Assumed);
}

// The two kinds of FP8 tables stand in for each other, as extrapolated. Without a grouped table, a grouped
// product takes its groups one by one.
TEST(Precision, TablesOfFp8StandInForEachOther) {
  Accelerator accelerator = fp8_accelerator();
  accelerator.operators.edit().fp8_blocks.gemms = {{512, 8192, 4096, microseconds(77)}};
  const OperatorTimes times(accelerator);
  for (const Operands operands : {Operands::Fp8, Operands::Fp8Blocks})
    EXPECT_NEAR(times.gemm({512, 8192, 4096}, operands).time.value(), 77e-6, 1e-12);
  EXPECT_EQ(times.gemm({512, 8192, 4096}, Operands::Fp8).evidence, Evidence::Extrapolated);
  EXPECT_EQ(times.gemm({512, 8192, 4096}, Operands::Fp8Blocks).evidence, Evidence::Measured);
  const Estimate grouped = times.grouped_gemm({3, 3 * 512, 8192, 4096}, Operands::Fp8Blocks);
  EXPECT_NEAR(grouped.time.value(), 3 * 77e-6, 3e-6);
  EXPECT_EQ(grouped.evidence, Evidence::Extrapolated);
}

// Layers are counted among those with products: not a table alone, not a prediction layer.
TEST(Precision, FirstAndLastLayersStayInBf16) {
  const Layer decoder = linear("qkv", 64, 192, Share::Columns);
  const Layer predicts = linear("prediction", 128, 64, Share::Columns) + decoder;
  const std::vector<Layer> layers = {embedding(10, 64), decoder, decoder, decoder, decoder, predicts};
  const Precision precision{.fp4 = Fp4Scaling::Nvfp4, .start_in_bf16 = 1, .end_in_bf16 = 2};
  const std::vector<Layer> run = in(precision, layers);
  for (std::size_t i = 0; i < run.size(); ++i)
    EXPECT_EQ(run[i].operators.back().operands == Operands::Fp4, i == 2 || i == 5) << i;
}

}  // namespace
}  // namespace spillway
