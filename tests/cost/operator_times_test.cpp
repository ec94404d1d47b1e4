// Operator times with and without tables; operator_tables_test.cpp has the error on measured tables.
#include "cost/operators/operator_times.h"

#include <gtest/gtest.h>

#include <cmath>

#include "small_accelerator.h"
#include "support/property.h"

namespace spillway {
namespace {

constexpr AttentionShape kCausal{8, 2, 64, 32, true};
constexpr AttentionShape kFull{8, 2, 64, 32, false};

double us(const Estimate& estimate) {
  return estimate.time.value() * 1e6;
}

Accelerator with_gemm_table() {
  Accelerator accelerator = small_accelerator();
  accelerator.operators.edit().gemms = small_gemm_table();
  return accelerator;
}

Estimate attention(const OperatorTimes& times, const AttentionShape& shape, std::vector<Sequences> sequences,
                   bool backward = false) {
  return times.attention(shape, sequences, backward);
}

// The product computes 2 x 1000^3 FLOPs at 50 TFLOP/s. The thin one computes 2 x 1 x 1000^2 at most, but
// moves 2 MB and 4 KB more at 800 GB/s.
TEST(OperatorTimes, WithoutATableAreTheRoofline) {
  const OperatorTimes times(small_accelerator());
  EXPECT_DOUBLE_EQ(us(times.gemm({1000, 1000, 1000})), 40);
  EXPECT_EQ(times.gemm({1000, 1000, 1000}).evidence, Evidence::Derived);
  EXPECT_DOUBLE_EQ(us(times.gemm({1, 1000, 1000})), 2.004e6 / 800e9 * 1e6);
  EXPECT_DOUBLE_EQ(us(times.grouped_gemm({4, 4000, 1000, 1000})), 320);
  EXPECT_DOUBLE_EQ(us(times.memory(Bytes(8e6))), 10);
}

// Two products of 2 x 8 x 1000^2 x 96 FLOPs together run at 40 TFLOP/s, causally half of them; the backward
// has 2.5 times as many at 20.
TEST(OperatorTimes, OfAttentionWithoutATableAreTheRoofline) {
  const OperatorTimes times(small_accelerator());
  EXPECT_DOUBLE_EQ(us(attention(times, kFull, {{1, 1000}})), 38.4);
  EXPECT_DOUBLE_EQ(us(attention(times, kCausal, {{1, 1000}})), 19.2);
  EXPECT_DOUBLE_EQ(us(attention(times, kCausal, {{1, 1000}}, true)), 96);
  EXPECT_DOUBLE_EQ(us(attention(times, kFull, {{1, 1000}, {2, 2000}})), 9 * 38.4);
  EXPECT_EQ(attention(times, kFull, {{0, 1000}, {3, 0}}).time, Seconds());
  EXPECT_EQ(attention(times, kFull, {}).time, Seconds());
}

TEST(OperatorTimes, AssumeWhatNobodyStated) {
  const OperatorTimes times(small_platform().accelerator);
  EXPECT_EQ(times.gemm({1000, 1000, 1000}).evidence, Evidence::Assumed);
}

TEST(OperatorTimes, AreLongerByWhatALongRunKeeps) {
  Accelerator accelerator = with_gemm_table();
  accelerator.sustained = {0.8, Evidence::Fitted, "a test"};
  const OperatorTimes times(accelerator);
  EXPECT_DOUBLE_EQ(us(times.gemm({64, 64, 64})),
                   us(OperatorTimes(with_gemm_table()).gemm({64, 64, 64})) / 0.8);
  EXPECT_EQ(times.gemm({64, 64, 64}).evidence, Evidence::Fitted);
  EXPECT_DOUBLE_EQ(us(times.memory(Bytes(8e6))), 12.5);
}

TEST(OperatorTimes, OfMeasuredShapesAreThoseMeasured) {
  const OperatorTimes times(with_gemm_table());
  for (const MeasuredGemm& row : small_gemm_table()) {
    const Estimate estimate = times.gemm({row.m, row.n, row.k});
    EXPECT_NEAR(estimate.time / row.time, 1, 1e-12);
    EXPECT_EQ(estimate.evidence, Evidence::Measured);
  }
}

// Between its rows the table's own law holds.
TEST(OperatorTimes, BetweenMeasuredShapesAreDerived) {
  const Estimate estimate = OperatorTimes(with_gemm_table()).gemm({3000, 2000, 1500});
  EXPECT_NEAR(us(estimate), 5 + 2 * 3000. * 2000 * 1500 / 50e6, 0.03 * us(estimate));
  EXPECT_EQ(estimate.evidence, Evidence::Derived);
}

TEST(OperatorTimes, OutsideTheMeasuredRangeAreExtrapolated) {
  const OperatorTimes times(with_gemm_table());
  EXPECT_EQ(times.gemm({4097, 64, 64}).evidence, Evidence::Extrapolated);
  EXPECT_EQ(times.gemm({15, 64, 64}).evidence, Evidence::Extrapolated);
  EXPECT_EQ(times.gemm({64, 64, 1e5}).evidence, Evidence::Extrapolated);
  const Estimate far = times.gemm({1e6, 4096, 4096});
  EXPECT_NEAR(us(far), 2e6 * 4096 * 4096 / 50e6, 0.03 * us(far));
}

// The shape lies inside the box of all rows, but no row is within a factor of four.
TEST(OperatorTimes, InAHoleOfTheTableAreExtrapolated) {
  Accelerator accelerator = small_accelerator();
  accelerator.operators.edit().gemms = {{16, 16, 16, microseconds(5)},
                                        {4096, 4096, 4096, microseconds(3000)}};
  const OperatorTimes times(accelerator);
  EXPECT_EQ(times.gemm({20, 20, 20}).evidence, Evidence::Derived);
  EXPECT_EQ(times.gemm({256, 256, 256}).evidence, Evidence::Extrapolated);
}

// A grouped product costs as many products as groups, with one launch.
TEST(OperatorTimes, OfGroupsWithoutATableComeFromSingleProducts) {
  const OperatorTimes times(with_gemm_table());
  const Estimate estimate = times.grouped_gemm({8, 8 * 256, 1024, 1024});
  EXPECT_NEAR(us(estimate), 5 + 8 * 2. * 256 * 1024 * 1024 / 50e6, 0.01 * us(estimate));
  EXPECT_EQ(estimate.evidence, Evidence::Extrapolated);
}

TEST(OperatorTimes, OfGroupsComeFromTheirOwnTable) {
  Accelerator accelerator = with_gemm_table();
  accelerator.operators.edit().grouped_gemms = {{8, 2048, 1024, 1024, microseconds(300)}};
  const Estimate estimate = OperatorTimes(accelerator).grouped_gemm({8, 2048, 1024, 1024});
  EXPECT_DOUBLE_EQ(us(estimate), 300);
  EXPECT_EQ(estimate.evidence, Evidence::Measured);
}

// The measured efficiency applies with half the FLOPs, with 2.5 times the FLOPs, and with both. Memory takes
// 1 % here, at the 800 GB/s that a product of few rows shows.
TEST(OperatorTimes, OfAttentionWithoutItsOwnTableComeFromAnother) {
  Accelerator accelerator = small_accelerator();
  accelerator.operators.edit().attentions = {{false, false, 4, 8192, 8, 2, 64, 32, milliseconds(20)}};
  accelerator.operators.edit().gemms = {{16, 4096, 4096, Seconds(2 * (4096 * 4096 + 2 * 16 * 4096) / 800e9)}};
  const OperatorTimes times(accelerator);
  const std::vector<Sequences> batch = {{4, 8192}};
  EXPECT_DOUBLE_EQ(us(attention(times, kFull, batch)), 20000);
  EXPECT_EQ(attention(times, kFull, batch).evidence, Evidence::Measured);
  EXPECT_NEAR(us(attention(times, kCausal, batch)), 10000, 10);
  EXPECT_NEAR(us(attention(times, kFull, batch, true)), 50000, 10);
  EXPECT_NEAR(us(attention(times, kCausal, batch, true)), 25000, 10);
  EXPECT_EQ(attention(times, kCausal, batch).evidence, Evidence::Extrapolated);
}

// Rows timed on another device do not count as measured here, however well the shape fits.
TEST(OperatorTimes, FromABorrowedTableAreExtrapolated) {
  Accelerator borrower = with_gemm_table();
  borrower.operators.edit().grouped_gemms = {{8, 512, 256, 128, microseconds(7)}};
  borrower.operators.edit().attentions = {{true, false, 1, 1024, 8, 2, 64, 32, microseconds(30)}};
  const auto evidence = [&] {
    const OperatorTimes times(borrower);
    return std::vector{times.gemm({64, 64, 64}).evidence, times.grouped_gemm({8, 512, 256, 128}).evidence,
                       attention(times, kCausal, {{1, 1024}}).evidence,
                       attention(times, kCausal, {{1, 1024}}, true).evidence};
  };
  using enum Evidence;
  EXPECT_EQ(evidence(), (std::vector{Measured, Measured, Measured, Extrapolated}));
  borrower.operators.edit().gemm_evidence = Extrapolated;
  EXPECT_EQ(evidence(), (std::vector{Extrapolated, Measured, Measured, Extrapolated}));
  borrower.operators.edit().grouped_gemm_evidence = Fitted;
  EXPECT_EQ(evidence(), (std::vector{Extrapolated, Fitted, Measured, Extrapolated}));
  borrower.operators.edit().attention_evidence = Assumed;
  EXPECT_EQ(evidence(), (std::vector{Extrapolated, Fitted, Assumed, Assumed}));
}

// A mixed batch does not count as measured because calls of each of its lengths were measured.
TEST(OperatorTimes, OfABatchDoNotDependOnHowItIsWritten) {
  Accelerator accelerator = small_accelerator();
  for (const double batch : {1, 8, 64})
    for (const double length : {64, 512, 4096})
      accelerator.operators.edit().attentions.push_back(
          {false, false, batch, length, 8, 2, 64, 32, microseconds(7 + 1e-6 * batch * length * length)});
  const OperatorTimes times(accelerator);
  const double mixed = us(attention(times, kFull, {{1, 512}, {3, 2048}, {2, 512}}));
  EXPECT_DOUBLE_EQ(mixed, us(attention(times, kFull, {{3, 512}, {1, 2048}, {2, 2048}})));
  EXPECT_EQ(attention(times, kFull, {{4, 512}, {4, 512}}).evidence, Evidence::Measured);
  EXPECT_EQ(attention(times, kFull, {{32, 512}, {4, 4096}}).evidence, Evidence::Derived);
  EXPECT_GT(mixed, us(attention(times, kFull, {{9, 512}})));
}

double any_size() {
  return std::exp(*rc::gen::inRange(0, 1612) * 0.01);  // up to 1e7
}

RC_GTEST_PROP(OperatorTimes, ArePositiveAndFinite, (bool tables, bool backward, bool causal)) {
  Accelerator accelerator = tables ? with_gemm_table() : small_accelerator();
  if (tables)
    accelerator.operators.edit().attentions = {{true, false, 1, 4096, 8, 2, 64, 32, microseconds(70)}};
  const OperatorTimes times(accelerator);
  const double a = any_size(), b = any_size(), c = any_size(), d = any_size();
  const std::vector<Sequences> sequences = {{a, b}, {c, 1}};
  for (const Estimate& estimate : {times.gemm({a, b, c}), times.grouped_gemm({a, b, c, d}),
                                   times.attention({c, 1, d, a, causal}, sequences, backward)}) {
    RC_ASSERT(estimate.time > Seconds());
    RC_ASSERT(std::isfinite(estimate.time.value()));
  }
}

// Attention is remembered. Whatever was asked before, each call takes what it takes on a new device.
RC_GTEST_PROP(OperatorTimes, OfAttentionForgetNoPartOfItsShape, ()) {
  Accelerator accelerator = small_accelerator();
  accelerator.operators.edit().attentions = {{true, false, 1, 1024, 8, 2, 64, 32, microseconds(30)},
                                             {true, true, 4, 4096, 8, 2, 64, 32, milliseconds(9)}};
  const OperatorTimes used(accelerator);
  for (int i = 0; i < 8; ++i) {
    const auto upto = [](int most) { return double(*rc::gen::inRange(1, most + 1)); };
    const AttentionShape shape{2 * upto(2), upto(2), 32 * upto(2), 32 * upto(2), *rc::gen::arbitrary<bool>()};
    const std::vector<Sequences> sequences = {{upto(2), 512 * upto(2)}};
    const bool backward = *rc::gen::arbitrary<bool>();
    RC_ASSERT(attention(used, shape, sequences, backward).time ==
              attention(OperatorTimes(accelerator), shape, sequences, backward).time);
  }
}

// Each row is bound by launch, memory or computing and takes up to half as long again as its bound.
OperatorTables some_tables() {
  OperatorTables tables;
  const auto size = [] { return std::exp2(*rc::gen::inRange(3, 14)); };
  const auto longer = [](Seconds bound) { return bound * (1 + 0.01 * *rc::gen::inRange(0, 50)); };
  for (int row = 0; row < 20; ++row) {
    const double m = size(), n = size(), k = size();
    const Seconds computing(2 * m * n * k / 60e12), moving(2 * (m * k + k * n + m * n) / 500e9);
    tables.gemms.push_back({m, n, k, longer(microseconds(3) + std::max(computing, moving))});
    tables.grouped_gemms.push_back(
        {8, 8 * m, n, k, longer(microseconds(3) + 8 * std::max(computing, moving))});
    const Seconds scores(2 * m * m * 8 * 96 / 40e12), values(m * 10 * 96 * 2 / 500e9);
    tables.attentions.push_back({false, false, 1, m, 8, 2, 64, 32, longer(std::max(scores, values))});
  }
  return tables;
}

// This holds whatever the tables show, and whether the stated bandwidth is above or below theirs.
RC_GTEST_PROP(OperatorTimes, AreNeverFasterWithLessMemoryBandwidth, (bool tables)) {
  Accelerator accelerator = small_accelerator();
  if (tables) accelerator.operators = some_tables();
  const double a = any_size(), b = any_size(), c = any_size();
  const std::vector<Sequences> sequences = {{a, b}, {c, 64}};
  std::vector<Seconds> before;
  for (const double gigabytes : {8000, 2000, 1100, 600, 590, 100}) {
    accelerator.memory_bandwidth.value = BytesPerSecond(gigabytes * 1e9);
    const OperatorTimes times(accelerator);
    std::vector<Seconds> now;
    for (const Estimate& estimate :
         {times.gemm({a, b, c}), times.grouped_gemm({8, a, b, c}), times.attention(kFull, sequences, false),
          times.attention(kCausal, sequences, true), times.memory(Bytes(a)), times.scan({4, 128, 128}, sequences, false),
          times.scan({4, 128, 128}, sequences, true)})
      now.push_back(estimate.time);
    for (std::size_t i = 0; i < before.size(); ++i) RC_ASSERT(now[i] >= before[i] * (1 - 1e-12));
    before = now;
  }
}

// The roofline prices a window of 1024 in 8192 tokens by its pairs, and adds 128 keys per query to those it
// sees.
TEST(OperatorTimes, AWindowTakesThePairsItLeaves) {
  Accelerator accelerator = small_accelerator();
  accelerator.memory_bandwidth.value = BytesPerSecond(1e18);
  const OperatorTimes times(accelerator);
  AttentionShape shape = kCausal;
  const auto time = [&](double window, bool backward) {
    shape.window = window;
    return attention(times, shape, {{2, 8192}}, backward);
  };
  for (const bool backward : {false, true}) {
    const double share = (8192 * 1024 - 1024 * 1024 / 2.0) / (8192 * 8192 / 2.0) * (1024 + 128) / 1024;
    EXPECT_NEAR(time(1024, backward).time / time(0, backward).time, share, 1e-9);
    EXPECT_EQ(time(8192, backward).time, time(0, backward).time);
    EXPECT_LE(time(8000, backward).time, time(0, backward).time);
    EXPECT_EQ(time(1024, backward).evidence, weaker(Evidence::Extrapolated, time(0, backward).evidence));
  }
}

// Attention in blocks of 1024 tokens equals eight times as many sequences of 1024, causal or not.
TEST(OperatorTimes, BlocksAreSequencesOfTheirOwn) {
  const OperatorTimes times(small_accelerator());
  for (const AttentionShape& whole : {kCausal, kFull}) {
    AttentionShape shape = whole;
    shape.window = 1024;
    shape.blocks = true;
    for (const bool backward : {false, true})
      EXPECT_EQ(attention(times, shape, {{2, 8192}}, backward).time,
                attention(times, whole, {{16, 1024}}, backward).time);
  }
}

}  // namespace
}  // namespace spillway
