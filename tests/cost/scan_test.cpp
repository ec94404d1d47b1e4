// Linear attention: its roofline by hand, its table, and its kernels under a framework.
#include <gtest/gtest.h>

#include <array>

#include "cost/layers/execution.h"
#include "cost/operators/operator_passes.h"
#include "cost/operators/operator_times.h"
#include "small_accelerator.h"

namespace spillway {
namespace {

constexpr ScanShape kTwoHeads{2, 128, 128};
constexpr std::array<Sequences, 1> kFourThousand{{{1, 4096}}};

double scan_us(const OperatorTimes& times, const ScanShape& shape, std::vector<Sequences> sequences,
               bool backward) {
  return times.scan(shape, sequences, backward).time.value() * 1e6;
}

Accelerator with_scan_table(bool backward) {
  Accelerator accelerator = small_accelerator();
  for (const double length : {2048, 8192})
    for (const double heads : {8, 32})
      accelerator.operators.edit().scans.push_back(
          {backward, 1, length, heads, 128, 128, microseconds(length * heads / 256)});
  return accelerator;
}

Operator scan_of(std::uint64_t heads) {
  Operator op;
  op.kind = OperatorKind::Scan;
  op.name = "delta rule";
  op.share = Share::Inner;
  op.heads = {heads, heads, 128, 128};
  op.traffic_per_token = Bytes(1000);
  return op;
}

// A forward moves 7 keys, 6 values, 2 rows of a chunk of 64 and 2 states a chunk: 2304 elements of 2 bytes a
// token and head, at 800 GB/s. A backward computes twice the forward's 163,840 FLOPs, and 98,304 again, at 20
// TFLOP/s; its 5760 elements take less.
TEST(Scan, WithoutATableIsTheRooflineOfItsKernels) {
  const OperatorTimes times(small_accelerator());
  EXPECT_DOUBLE_EQ(scan_us(times, kTwoHeads, {{1, 4096}}, false), 8192 * 4608 / 800e9 * 1e6);
  EXPECT_DOUBLE_EQ(scan_us(times, kTwoHeads, {{1, 4096}}, true), 8192 * 425984.0 / 20e12 * 1e6);
  EXPECT_EQ(times.scan(kTwoHeads, kFourThousand, false).evidence, Evidence::Derived);
  EXPECT_EQ(times.scan(kTwoHeads, {}, true).time, Seconds());
}

TEST(Scan, BackwardWithoutATableMovesItsOwnBytes) {
  Accelerator accelerator = small_accelerator();
  accelerator.peak.value = FlopsPerSecond(1e30);
  EXPECT_DOUBLE_EQ(scan_us(OperatorTimes(accelerator), kTwoHeads, {{1, 4096}}, true),
                   8192 * 11520 / 800e9 * 1e6);
}

TEST(Scan, TakesItsTableInItsOwnDirection) {
  for (const bool backward : {false, true}) {
    const OperatorTimes times(with_scan_table(backward));
    const ScanShape shape{32, 128, 128};
    const std::array<Sequences, 1> one{{{1, 2048}}}, four{{{4, 2048}}};
    const Estimate own = times.scan(shape, one, backward), other = times.scan(shape, one, !backward);
    EXPECT_DOUBLE_EQ(own.time.value(), 256e-6);
    EXPECT_EQ(own.evidence, Evidence::Measured);
    EXPECT_EQ(other.evidence, Evidence::Extrapolated);
    // Heads of four sequences are as many heads.
    EXPECT_DOUBLE_EQ(times.scan({8, 128, 128}, four, backward).time.value(), 256e-6);
    // Half of the tokens in sequences of another length: half the time of each.
    const std::vector<Sequences> unequal{{2, 2048}, {0.5, 8192}};
    EXPECT_NEAR(times.scan({8, 128, 128}, unequal, backward).time.value(),
                (times.scan({8, 128, 128}, four, backward).time.value() +
                 times.scan({8, 128, 128}, std::array<Sequences, 1>{{{1, 8192}}}, backward).time.value()) /
                    2,
                1e-15);
  }
}

// Four heads share keys and queries. A head's share of a forward moves (4 keys + 4 rows of a chunk) / 4, 3
// values and 6 states a chunk: 832 elements of 2 bytes, and computes 57,344 FLOPs; a backward 2784 elements
// and 155,648 FLOPs, at 800 GB/s, 40 and 20 TFLOP/s.
constexpr ScanShape kStateSpace{4, 128, 64, 4, {ScanRule::StateSpace, 128}};

TEST(Scan, OfAStateSpaceIsTheRooflineOfItsKernels) {
  Accelerator accelerator = small_accelerator();
  accelerator.memory_bandwidth.value = BytesPerSecond(1e30);
  const OperatorTimes computing(accelerator);
  EXPECT_DOUBLE_EQ(scan_us(computing, kStateSpace, {{1, 4096}}, false), 4 * 4096 * 57344.0 / 40e12 * 1e6);
  EXPECT_DOUBLE_EQ(scan_us(computing, kStateSpace, {{1, 4096}}, true), 4 * 4096 * 155648.0 / 20e12 * 1e6);
  accelerator = small_accelerator();
  accelerator.peak.value = FlopsPerSecond(1e30);
  const OperatorTimes moving(accelerator);
  EXPECT_DOUBLE_EQ(scan_us(moving, kStateSpace, {{1, 4096}}, false), 4 * 4096 * 1664 / 800e9 * 1e6);
  EXPECT_DOUBLE_EQ(scan_us(moving, kStateSpace, {{1, 4096}}, true), 4 * 4096 * 5568 / 800e9 * 1e6);
}

// Other rules move their own bytes: 21 keys, 6 values, 4 rows and 2 states a chunk; 3 keys, 3 values, 2
// states.
TEST(Scan, OfOtherRulesMovesItsOwnBytes) {
  Accelerator accelerator = small_accelerator();
  accelerator.peak.value = FlopsPerSecond(1e30);
  const OperatorTimes moving(accelerator);
  const double channel = 21 * 128 + 6 * 128 + 4 * 64 + 2 * 256, decay = 3 * 128 + 3 * 128 + 2 * 256;
  EXPECT_DOUBLE_EQ(scan_us(moving, {2, 128, 128, 1, {ScanRule::ChannelDelta}}, {{1, 4096}}, false),
                   8192 * 2 * channel / 800e9 * 1e6);
  EXPECT_DOUBLE_EQ(scan_us(moving, {2, 128, 128, 1, {ScanRule::Decay}}, {{1, 4096}}, false),
                   8192 * 2 * decay / 800e9 * 1e6);
}

// The table is of the gated delta rule's kernels.
TEST(Scan, OfAnotherRuleTakesNothingFromTheTable) {
  for (const bool backward : {false, true}) {
    const OperatorTimes times(with_scan_table(backward)), without(small_accelerator());
    EXPECT_EQ(times.scan(kStateSpace, kFourThousand, backward).time,
              without.scan(kStateSpace, kFourThousand, backward).time);
  }
}

// A device's heads share keys as all of them do.
TEST(Scan, OfAStateSpaceSharesItsKeys) {
  const OperatorTimes times(small_accelerator());
  Operator op = scan_of(32);
  op.heads = {32, 8, 128, 64};
  op.scan = {ScanRule::StateSpace, 128};
  const SlabLoad load{4096, kFourThousand};
  EXPECT_EQ(operator_passes(op, Split::of({.tensor = 8}), load, times).forward.time,
            times.scan(kStateSpace, kFourThousand, false).time);
}

// Both kinds of parallelism leave whole sequences of fewer heads; one head is not split.
TEST(Scan, HasAShareOfTheHeads) {
  const OperatorTimes times(with_scan_table(false));
  const std::array<Sequences, 1> one{{{1, 8192}}};
  const SlabLoad load{8192, one};
  const auto forward = [&](std::uint64_t heads, const Parallelism& parallelism) {
    return operator_passes(scan_of(heads), Split::of(parallelism), load, times).forward.time;
  };
  EXPECT_EQ(forward(32, {.tensor = 4}), times.scan({8, 128, 128}, one, false).time);
  EXPECT_EQ(forward(32, {.tensor = 2, .context = 2}), times.scan({8, 128, 128}, one, false).time);
  EXPECT_DOUBLE_EQ(forward(2, {.tensor = 4}).value(), times.scan({1, 128, 128}, one, false).time.value() / 2);
}

// Without one of its own, a framework runs flash-linear-attention's kernels, whatever it launches.
TEST(Scan, OfAFrameworksOwnKernelsIsBoundByTheirBytes) {
  const OperatorTimes times(with_scan_table(false));
  const std::array<Sequences, 1> one{{{1, 8192}}};
  const SlabLoad load{8192, one};
  const auto run = [&](const OperatorExecution& stated) {
    Framework framework;
    framework.operators.emplace("delta rule", stated);
    std::vector<Layer> layers(1);
    layers[0].operators.push_back(scan_of(32));
    run_by(framework, layers);
    return operator_passes(layers[0].operators[0], Split::of({.tensor = 4}), load, times);
  };
  const auto times_as_many = [](double value) { return Sourced<double>{value, Evidence::Derived, "a test"}; };
  const OperatorPasses table = run({.forward_kernels = times_as_many(9)});
  EXPECT_EQ(table.forward.time, times.scan({8, 128, 128}, one, false).time);
  const OperatorPasses own = run({.traffic = times_as_many(100), .gradient_traffic = times_as_many(300)});
  EXPECT_DOUBLE_EQ(own.forward.time.value(), 100 * 1000.0 * 2048 / 800e9);
  EXPECT_DOUBLE_EQ(own.input_gradient.time.value(), 300 * 2 * 1000.0 * 2048 / 800e9);
  EXPECT_EQ(own.forward.evidence, Evidence::Derived);
}

}  // namespace
}  // namespace spillway
