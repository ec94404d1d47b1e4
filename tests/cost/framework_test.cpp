// Effects of a framework on a price, term by term, against a job without one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "cost/layers/execution.h"
#include "cost/slabs/slab_time.h"
#include "small_accelerator.h"
#include "small_job.h"
#include "small_slab.h"

namespace spillway {
namespace {

std::vector<Layer> layers() {
  return {rms_norm(64) + linear("qkv", 64, 192, Share::Columns) +
          attention(AttentionHeads{4, 4, 16, 16}, true) + linear("out", 64, 64, Share::Rows)};
}

SlabTimes times_by(const Framework& framework, const OperatorTimes& on) {
  std::vector<Layer> run = layers();
  run_by(framework, run);
  const Seconds launch = framework.launch ? framework.launch->value : Seconds();
  return slab_times(slab_operators(run), Split(), kSixtyFour, on, kBothGradients,
                    {launch, framework.launch.has_value(), framework.stage_kernels.value});
}

OperatorTimes efficient_times() {
  return OperatorTimes(small_accelerator());
}

TEST(Framework, ThatStatesNothingChangesNothing) {
  const std::vector<Layer> before = layers();
  std::vector<Layer> after = before;
  run_by(Framework{}, after);
  EXPECT_EQ(after[0].operators, before[0].operators);
}

// A norm, two products and attention take 2 + 2 x 3 + 5 kernels forward, 1 + 2 x 1 + 1 for the input
// gradient, 2 x 4 for the weight gradient, and the last kernel's time on the device. A count by name
// overrides one by kind.
TEST(Framework, LaunchesKernelsByKindAndName) {
  Framework framework;
  framework.launch = chosen(Seconds(1));
  framework.operators["memory"].forward_kernels = chosen(7.0);
  framework.operators["norm"].forward_kernels = chosen(2.0);
  framework.operators["gemm"] = {.forward_kernels = chosen(3.0), .weight_gradient_kernels = chosen(4.0)};
  framework.operators["attention"].forward_kernels = chosen(5.0);
  const SlabTimes run = times_by(framework, efficient_times());
  EXPECT_NEAR(run.forward.value(), 2 + 2 * 3 + 5, 1e-6);
  EXPECT_NEAR(run.input_gradient.value(), 1 + 2 + 1, 1e-6);
  EXPECT_NEAR(run.weight_gradient.value(), 2 * 4, 1e-6);
}

// Settings for encoders apply to patches only.
TEST(Framework, TellsEncodersApart) {
  Framework framework;
  framework.operators["norm"].forward_kernels = chosen(2.0);
  framework.encoder_operators["norm"].forward_kernels = chosen(5.0);
  framework.encoder_operators["gemm"].waits = chosen(3.0);
  std::vector<Layer> tokens = layers(), patches = layers();
  run_by(framework, tokens);
  run_by(framework, patches, LoadUnit::Patch);
  EXPECT_EQ(tokens[0].operators[0].kernels.forward, 2);
  EXPECT_EQ(patches[0].operators[0].kernels.forward, 5);
  EXPECT_EQ(tokens[0].operators[1].kernels.waits, 0U);
  EXPECT_EQ(patches[0].operators[1].kernels.waits, 3U);
}

// A stage's own kernels run first and take as long as their launches. The backward has none.
TEST(Framework, IssuesAStagesOwnKernelsFirst) {
  Framework framework;
  framework.launch = chosen(Seconds(1));
  const SlabTimes without = times_by(framework, efficient_times());
  framework.stage_kernels = chosen(3.0);
  const SlabTimes with = times_by(framework, efficient_times());
  EXPECT_DOUBLE_EQ((with.forward - without.forward).value(), 3);
  EXPECT_EQ(with.backward(), without.backward());
}

// The sum kernels move 20 bytes for each of 64 x 192 + 64 x 64 weights at 800 GB/s, after the products.
TEST(Framework, AddsGradientsByKernelsOfTheirOwn) {
  const OperatorTimes on = efficient_times();
  const Seconds products = on.gemm({192, 64, 64}).time + on.gemm({64, 64, 64}).time;
  Framework framework;
  framework.operators["gemm"].gradient_sum = Sourced<Bytes>{Bytes(20), Evidence::Fitted, "a test"};
  const SlabTimes with = times_by(framework, on);
  EXPECT_NEAR((with.weight_gradient - products).value(), 20.0 * (64 * 192 + 64 * 64) / 800e9, 1e-15);
  EXPECT_EQ(with.input_gradient, times_by({}, on).input_gradient);
}

// The table's rows are split over the tensor-parallel group. Without a framework nothing adds its gradient.
TEST(Framework, AddsGradientsOfEmbeddings) {
  std::vector<Layer> run = {embedding(1000, 64)};
  const auto weight = [&] {
    Split split;
    split.tensor = 4;
    return slab_times(slab_operators(run), split, kSixtyFour, efficient_times(), kBothGradients, {})
        .weight_gradient;
  };
  EXPECT_EQ(weight(), Seconds());
  Framework framework;
  framework.operators["embedding"].gradient_sum = chosen(Bytes(30));
  run_by(framework, run);
  EXPECT_NEAR(weight().value(), 30.0 * 1000 * 64 / 4 / 800e9, 1e-15);
}

// Only the norm is bound by memory: 64 x 2 x 64 x 2 bytes forward and half as many more for its gradient, at
// 800 GB/s.
TEST(Framework, MovesMoreThroughMemory) {
  Framework framework;
  framework.operators["norm"] = {.traffic = chosen(3.0), .gradient_traffic = chosen(5.0)};
  const SlabTimes without = times_by({}, efficient_times()), with = times_by(framework, efficient_times());
  const double forward = 64 * 2 * 64 * 2 / 800e9;
  EXPECT_NEAR((with.forward - without.forward).value(), 2 * forward, 1e-15);
  EXPECT_NEAR((with.input_gradient - without.input_gradient).value(), 4 * 1.5 * forward, 1e-15);
  EXPECT_EQ(with.weight_gradient, without.weight_gradient);
}

// Each kernel of a memory-bound operator takes the memory latency on the device.
TEST(Framework, KernelsBoundByMemoryTakeALatencyEach) {
  Accelerator accelerator = small_accelerator();
  accelerator.memory_latency = chosen(microseconds(10));
  Framework framework;
  framework.operators["norm"] = {.forward_kernels = chosen(4.0)};
  const OperatorTimes on(accelerator);
  EXPECT_NEAR((times_by(framework, on).forward - times_by({}, on).forward).value(), 3 * 10e-6, 1e-15);
}

// The published rates are 0.6 and 0.3 of 100 TFLOP/s for long sequences, half of the square. Every other
// shape scales by the same ratio to the platform's own 0.4 and 0.2.
TEST(AttentionKernel, IsAsMuchLongerForEveryShapeAsPublishedForLongOnes) {
  const OperatorTimes own = efficient_times();
  const OperatorTimes other = own.with_attention({"flash", chosen(0.6), chosen(0.3)});
  const AttentionShape shape{8, 2, 64, 32, true};
  const std::array<Sequences, 2> sequences = {{{3, 4096}, {1, 100}}};
  EXPECT_NEAR(other.attention(shape, sequences, false).time / own.attention(shape, sequences, false).time,
              0.4 / 0.6, 1e-12);
  EXPECT_NEAR(other.attention(shape, sequences, true).time / own.attention(shape, sequences, true).time,
              0.2 / 0.3, 1e-12);
  const AttentionShape long_one{32, 32, 128, 128, true};
  const std::array<Sequences, 1> reference = {{{1, 16384}}};
  const double flops = 2 * 0.5 * 16384.0 * 16384 * 32 * 256;
  EXPECT_NEAR(other.attention(long_one, reference, false).time.value(), flops / (0.6 * 100e12), 1e-9);
  EXPECT_EQ(other.attention(long_one, reference, false).evidence, Evidence::Assumed);
  EXPECT_EQ(other.gemm({64, 64, 64}).time, own.gemm({64, 64, 64}).time);
}

TEST(AttentionKernel, IsWhatTheFrameworkNames) {
  SmallJob job;
  job.costs.platform.accelerator.attention_kernels = {{"slow", chosen(0.01), chosen(0.01)}};
  const auto step = [&] {
    return job.priced(job.derive_as("1f1b", {}, {3, 3}))
        .pass(Pass::Forward, StageId(1), MicrobatchId(0), ReplicaId(0));
  };
  const Seconds own = step();
  job.costs.framework.attention = Sourced<std::string>{"slow", Evidence::Assumed, "a test"};
  EXPECT_GT(step(), own);
  job.costs.framework.attention->value = "another";
  EXPECT_THROW(step(), ContractBreach);
  job.costs.framework.own_attention_otherwise = true;
  EXPECT_EQ(step(), own);
}

// The same times, but nobody measured that this software takes them.
TEST(AttentionKernel, IsAssumedWhereTheAcceleratorsOwnStandsIn) {
  const OperatorTimes own = efficient_times(), assumed = own.with_assumed_attention();
  const AttentionShape shape{8, 2, 64, 32, true};
  const std::array<Sequences, 1> sequences = {{{3, 4096}}};
  for (const bool backward : {false, true}) {
    EXPECT_EQ(assumed.attention(shape, sequences, backward).time,
              own.attention(shape, sequences, backward).time);
    EXPECT_EQ(assumed.attention(shape, sequences, backward).evidence, Evidence::Assumed);
  }
  EXPECT_EQ(assumed.gemm({64, 64, 64}).evidence, own.gemm({64, 64, 64}).evidence);
}

// The hosts add 3 us to the message.
TEST(Framework, HostsTakePartInEveryTransfer) {
  SmallJob job;
  const Derived derived = job.derive_as("1f1b", {}, {3, 3});
  const auto sent = [&] {
    for (const Event& event : derived.order.events())
      if (event.kind == EventKind::Collective && event.comm == Comm::Send)
        return job.priced(derived).transfer(event, ReplicaId(0));
    throw ContractBreach("no transfer");
  };
  const Transfer without = sent();
  job.costs.framework.message = chosen(microseconds(3));
  const Transfer with = sent();
  EXPECT_NEAR((with.alone - without.alone).value(), 3e-6, 1e-15);
  EXPECT_EQ(with.payload, without.payload);
}

// Gradients of 2 instead of 4 bytes halve the reduction's payload. ZeRO-1 also gathers parameters.
TEST(Framework, ReducesGradientsInItsPrecision) {
  for (const DataParallel data : {DataParallel::Plain, DataParallel::Zero1}) {
    SmallJob job;
    job.pipeline.replicas = 2;
    job.costs.parallelism.data = data;
    const Derived derived = job.derive_as("1f1b", {}, {3, 3});
    const auto reduced = [&] {
      for (const Event& event : derived.order.events())
        if (event.kind == EventKind::DpReduce && event.stage == StageId(1))
          return job.priced(derived).transfer(event, ReplicaId(0)).payload.value();
      throw ContractBreach("no reduction");
    };
    const double full = reduced();
    job.costs.framework.gradient = chosen(Bytes(2));
    EXPECT_NEAR(reduced() / full, data == DataParallel::Plain ? 1.0 / 2 : (2.0 + 2) / (4 + 2), 1e-12);
  }
}

// A reduction hides under the last backward while that lasts. The hidden part loads no port.
TEST(Framework, HidesReductionsUnderTheLastBackward) {
  SmallJob job;
  job.pipeline = {1, 2, 2};
  job.costs.platform.accelerator.peak = chosen(FlopsPerSecond(1e12));
  const Derived derived = job.derive_as("1f1b", {});
  const auto reduced = [&] {
    for (const Event& event : derived.order.events())
      if (event.kind == EventKind::DpReduce) return job.priced(derived).transfer(event, ReplicaId(0));
    throw ContractBreach("no reduction");
  };
  const Transfer whole = reduced();
  const Seconds backward =
      job.priced(derived).pass(Pass::Backward, StageId(0), MicrobatchId(1), ReplicaId(0));
  ASSERT_LT(backward, whole.alone * 0.5);
  job.costs.framework.hidden_gradients = chosen(0.9);
  const Transfer left = reduced();
  EXPECT_NEAR((whole.alone - left.alone).value(), backward.value(), 1e-15);
  EXPECT_NEAR(left.payload / whole.payload, left.alone / whole.alone, 1e-9);
  job.costs.framework.hidden_gradients = chosen(0.5 * (backward / whole.alone));
  EXPECT_NEAR((whole.alone - reduced().alone).value(), 0.5 * backward.value(), 1e-15);
}

// The last bucket of gradients has nothing to hide under.
TEST(Framework, HidesNothingOfTheLastBucket) {
  SmallJob job;
  job.pipeline = {1, 2, 2};
  const Derived derived = job.derive_as("1f1b", {});
  const auto reduced = [&] {
    for (const Event& event : derived.order.events())
      if (event.kind == EventKind::DpReduce) return job.priced(derived).transfer(event, ReplicaId(0)).alone;
    throw ContractBreach("no reduction");
  };
  const Seconds whole = reduced();
  job.costs.framework.hidden_gradients = chosen(0.001);
  const Seconds smallest = reduced();
  ASSERT_LT(smallest, whole);
  job.costs.framework.gradient_bucket = chosen(Bytes(1e18));
  EXPECT_EQ(reduced(), whole);
  job.costs.framework.gradient_bucket = chosen(Bytes(1000));
  EXPECT_GT(reduced(), smallest);
  EXPECT_LT(reduced(), whole);
}

// A reduction hidden under images takes a different time in each draw, so no single lane can stand for all.
TEST(Framework, HiddenReductionsAreAsLongAsTheDrawMakesThem) {
  SmallJob job;
  job.pipeline = {2, 2, 2};
  const Derived derived = job.derive_as("transpose,1f1b", {{2}});
  const auto uniform = [&](RegionId region) {
    for (const Event& event : derived.order.events())
      if (event.kind == EventKind::DpReduce && derived.stage(event.stage).region == region)
        return job.priced(derived).uniform(event);
    throw ContractBreach("no reduction");
  };
  EXPECT_TRUE(uniform(RegionId(0)));
  job.costs.framework.hidden_gradients = chosen(0.5);
  EXPECT_FALSE(uniform(RegionId(0)));
}

// The part of a collective that does not hide is exposed; hidden and exposed parts add up to the whole.
TEST(Framework, ExposesWhatItDoesNotHide) {
  SmallJob job;
  job.costs.parallelism.data = DataParallel::Zero3;
  job.pipeline.replicas = 4;
  job.costs.framework.hidden_data = chosen(1.0);
  const auto forward = [&] {
    return job.priced(job.derive_as("1f1b", {}, {3, 3}))
        .pass(Pass::Forward, StageId(1), MicrobatchId(0), ReplicaId(0));
  };
  const Seconds all = forward();
  job.costs.framework.hidden_data = chosen(0.0);
  const Seconds none = forward();
  job.costs.framework.hidden_data = chosen(0.25);
  EXPECT_GT(none, all);
  EXPECT_NEAR(forward().value(), (0.25 * all + 0.75 * none).value(), 1e-12);
}

TEST(Framework, LossOfSeveralKernelsKeepsItsSoftmax) {
  std::vector<Layer> head_alone = {head(8, 1000, rms_norm(8))};
  Framework framework;
  framework.fused_loss = false;
  run_by(framework, head_alone);
  const Operator& loss = head_alone[0].operators.back();
  EXPECT_EQ(loss.kept.for_backward, Bytes(4 * 1000));
  EXPECT_FALSE(loss.in_place);
}

// Query and key heads are 24 wide, value heads 16; there are two query heads and one for keys and values.
TEST(Framework, PadsValuesToKeys) {
  const auto run = [](std::uint64_t values, bool pads, bool fused) {
    const AttentionHeads heads{2, 1, 24, values};
    std::vector<Layer> one = {fused ? attention(heads, true) : unfused_attention(heads)};
    Framework framework;
    framework.pads_values = pads;
    run_by(framework, one);
    return one;
  };
  const auto time = [&](const std::vector<Layer>& of) {
    return slab_times(slab_operators(of), Split(), kSixtyFour, efficient_times(), kBothGradients, {}).forward;
  };
  EXPECT_EQ(time(run(16, true, true)), time(run(24, true, true)));
  EXPECT_LT(time(run(16, false, true)), time(run(24, false, true)));
  EXPECT_EQ(time(run(16, true, false)), time(run(16, false, false)));
  EXPECT_EQ(run(24, true, true), run(24, false, true));
  const KeptPerToken plain = run(16, false, true)[0].operators[0].kept,
                     padded = run(16, true, true)[0].operators[0].kept;
  EXPECT_EQ(padded.for_backward - plain.for_backward, Bytes(2 * (8 + 2 * 24)));
  EXPECT_EQ(padded.for_input_gradient - plain.for_input_gradient, Bytes(2 * (8 + 2 * 8)));
  EXPECT_EQ(run(16, true, true)[0].operators[0].mixing_per_pair(),
            run(16, false, true)[0].operators[0].mixing_per_pair());
}

// `operators` may name exactly the operators and kinds that layers consist of.
TEST(OperatorNames, AreOfProductsOrOfWhatMoves) {
  EXPECT_FALSE(is_operator_name("norms"));
  EXPECT_FALSE(is_bound_by_memory("gemm"));
  EXPECT_TRUE(is_operator_name("gemm"));
}

}  // namespace
}  // namespace spillway
