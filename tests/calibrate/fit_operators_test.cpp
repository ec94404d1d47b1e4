#include "calibrate/fit_operators.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/operators/operator_work.h"
#include "fitted_numbers.h"
#include "input/platform/platform_reader.h"
#include "support/property.h"
#include "support/raw_table.h"
#include "traces/samples/operator_csv.h"

namespace spillway {
namespace {

using testing::number_in;

const std::string kGemm = "/accelerator/efficiency/gemm";
const std::string kMemory = "/accelerator/efficiency/memory";
const std::string kLatency = "/accelerator/memory_latency_us";

// A device of 100 TFLOP/s and 1 TB/s; operators reach half and four fifths of these by default.
Platform device(double gemm = 0.5, double memory = 0.8, double latency_us = 4) {
  Platform platform;
  Accelerator& accelerator = platform.accelerator;
  accelerator.peak = not_stated(FlopsPerSecond(100e12));
  accelerator.memory_bandwidth = not_stated(BytesPerSecond(1e12));
  accelerator.efficiency.gemm = accelerator.efficiency.attention = not_stated(gemm);
  accelerator.efficiency.attention_backward = not_stated(gemm / 2);
  accelerator.efficiency.memory = not_stated(memory);
  accelerator.memory_latency = not_stated(microseconds(latency_us));
  return platform;
}

// The same device before the fit.
Platform unknown_device() {
  return device(1, 1, 0);
}

// Returns products priced by the cost model on `device`. Those with fewer than 32 rows are priced as
// memory-bound operators, others as products.
Samples products_of(const Platform& device, const std::vector<double>& rows) {
  const OperatorTimes times(device.accelerator);
  Samples samples;
  samples.source = "a device";
  for (const double m : rows) {
    for (const double n : {1024.0, 2048.0, 4096.0, 8192.0}) {
      const GemmShape shape{m, n, 4096};
      const Seconds time = m < 32 ? times.memory(operator_work(shape).traffic).time : times.gemm(shape).time;
      samples.operators.gemms.push_back({m, n, 4096, time});
    }
  }
  return samples;
}

const Undetermined* open(const Fits& fits, const std::string& pointer) {
  for (const Undetermined& undetermined : fits.undetermined)
    if (undetermined.pointer == pointer) return &undetermined;
  return nullptr;
}

RC_GTEST_PROP(FitOperators, FindsTheDeviceThatTheCostModelPriced, ()) {
  const double gemm = *rc::gen::inRange(30, 101) / 100.0, memory = *rc::gen::inRange(30, 101) / 100.0;
  const double latency_us = *rc::gen::inRange(1, 20);
  const Fits fits = fit_operators(
      unknown_device(), {products_of(device(gemm, memory, latency_us), {1, 2, 4, 8, 8192, 16384, 32768})});
  for (const auto& [pointer, value] : {std::pair{kGemm, gemm}, {kMemory, memory}, {kLatency, latency_us}}) {
    const FittedNumber* fitted = number_in(fits, pointer);
    RC_ASSERT(fitted != nullptr);
    RC_ASSERT(std::abs(fitted->value / value - 1) < 1e-6);
    RC_ASSERT(fitted->low <= fitted->value);
    RC_ASSERT(fitted->value <= fitted->high);
    RC_ASSERT(fitted->source == "a device");
  }
  for (const HeldBackError& held : fits.held_back) RC_ASSERT(held.count > 0u);
  RC_ASSERT(fits.undetermined.empty());
}

TEST(FitOperators, AttentionsOfEitherDirectionHaveAnEfficiencyEach) {
  const OperatorTimes times(device().accelerator);
  Samples samples;
  for (const bool backward : {false, true}) {
    for (const double length : {2048.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0}) {
      const std::vector<Sequences> one = {{1, length}};
      const Seconds time = times.attention({16, 16, 128, 128, true}, one, backward).time;
      samples.operators.attentions.push_back({true, backward, 1, length, 16, 16, 128, 128, time});
    }
  }
  const Fits fits = fit_operators(device(1, 0.8), {samples});
  EXPECT_NEAR(number_in(fits, "/accelerator/efficiency/attention")->value, 0.5, 1e-9);
  EXPECT_NEAR(number_in(fits, "/accelerator/efficiency/attention_backward")->value, 0.25, 1e-9);
  EXPECT_EQ(number_in(fits, kGemm), nullptr);
  EXPECT_EQ(open(fits, kGemm), nullptr);
}

TEST(FitOperators, MemoryBoundProductsSayNothingOfComputing) {
  const Fits fits = fit_operators(unknown_device(), {products_of(device(), {1, 2, 4, 8})});
  EXPECT_EQ(number_in(fits, kGemm), nullptr);
  ASSERT_NE(open(fits, kGemm), nullptr);
  EXPECT_NE(open(fits, kGemm)->why.find("too few of them are bound by computing"), std::string::npos);
  EXPECT_NE(number_in(fits, kMemory), nullptr);
}

TEST(FitOperators, LargeProductsSayNothingOfLatency) {
  const Fits fits = fit_operators(unknown_device(), {products_of(device(), {8192, 16384})});
  EXPECT_NE(number_in(fits, kGemm), nullptr);
  ASSERT_NE(open(fits, kLatency), nullptr);
  EXPECT_EQ(open(fits, kLatency)->why,
            "of 8 matrix products 0 are memory-bound, which is too few, or they are all of one size");
  EXPECT_NE(open(fits, kMemory), nullptr);
}

TEST(FitOperators, ALatencyBelowTheSpreadOfLargeProductsIsLeftOpen) {
  Samples samples;
  for (int i = 0; i < 40; ++i) {
    const double n = 65536.0 * (20 + i), noise = i % 4 < 2 ? 1.05 : 0.95;
    samples.operators.gemms.push_back({1, n, 8192, Seconds((4e-6 + n * 8192 * 2 / 0.8e12) * noise)});
  }
  const Fits fits = fit_operators(unknown_device(), {samples});
  EXPECT_EQ(number_in(fits, kLatency), nullptr);
  ASSERT_NE(open(fits, kLatency), nullptr);
  EXPECT_NE(open(fits, kLatency)->why.find("too large for it to show"), std::string::npos);
  EXPECT_NEAR(number_in(fits, kMemory)->value, 0.8, 0.05);
}

TEST(FitOperators, MoreThanThePlatformCanIsNotAnEfficiency) {
  Platform slower = unknown_device();
  slower.accelerator.peak = not_stated(FlopsPerSecond(10e12));
  slower.accelerator.memory_bandwidth = not_stated(BytesPerSecond(0.1e12));
  const Fits fits = fit_operators(slower, {products_of(device(), {1, 2, 4, 8, 8192, 16384, 32768})});
  EXPECT_TRUE(fits.numbers.size() == 1 && fits.numbers[0].pointer == kLatency);
  ASSERT_NE(open(fits, kGemm), nullptr);
  EXPECT_NE(open(fits, kGemm)->why.find("of the peak that the platform states"), std::string::npos);
  ASSERT_NE(open(fits, kMemory), nullptr);
  EXPECT_NE(open(fits, kMemory)->why.find("of what memory is said to carry"), std::string::npos);
}

// Records the fit's numbers and errors in the test's report.
void publish(const Fits& fits) {
  for (const FittedNumber& fitted : fits.numbers)
    ::testing::Test::RecordProperty(fitted.pointer, std::to_string(fitted.value));
  for (const HeldBackError& held : fits.held_back)
    ::testing::Test::RecordProperty(held.what, std::to_string(held.mean_absolute));
}

double mean_error(const Fits& fits, const std::string& what) {
  for (const HeldBackError& held : fits.held_back)
    if (held.what == what) return held.mean_absolute;
  ADD_FAILURE() << "no error of " << what;
  return 0;
}

// The numbers fitted to a device's sweep and the mean errors on the shapes that were held back: those of the
// roofline in its range, and those of a table, which prices any shape.
struct Sweep {
  const char* system;
  const char* platform;
  double gemm, memory, latency_us;
  double gemm_error, memory_error, table_error;  // at most

  friend std::ostream& operator<<(std::ostream& out, const Sweep& sweep) { return out << sweep.system; }
};

class FitOperatorsToSweeps : public ::testing::TestWithParam<Sweep> {};

TEST_P(FitOperatorsToSweeps, FindsWhatTheyReach) {
  const auto folder = testing::raw_folder();
  if (!folder) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  const Sweep& sweep = GetParam();
  const Samples samples = read_operator_csv(*folder + sweep.system + "_sxm__gemm_bf16.csv.gz");
  const Fits fits = fit_operators(
      read_platform(SPILLWAY_SOURCE_DIR "/platforms/" + std::string(sweep.platform)), {samples});
  publish(fits);
  ASSERT_EQ(fits.numbers.size(), 3u);
  EXPECT_NEAR(number_in(fits, kGemm)->value, sweep.gemm, 0.005);
  EXPECT_NEAR(number_in(fits, kMemory)->value, sweep.memory, 0.005);
  EXPECT_NEAR(number_in(fits, kLatency)->value, sweep.latency_us, 0.05);
  EXPECT_LT(mean_error(fits, "matrix products"), sweep.gemm_error);
  EXPECT_LT(mean_error(fits, "memory-bound matrix products"), sweep.memory_error);
  EXPECT_LT(mean_error(fits, "matrix products of any size, by a table of the other half"), sweep.table_error);
}

INSTANTIATE_TEST_SUITE_P(
    Aiconfigurator, FitOperatorsToSweeps,
    ::testing::Values(Sweep{"h100", "hgx-h100.json", 0.738, 0.823, 3.00, 0.08, 0.13, 0.05},
                      Sweep{"a100", "hgx-a100.json", 0.735, 0.715, 3.96, 0.16, 0.15, 0.06},
                      Sweep{"b200", "b200.json", 0.637, 0.709, 2.44, 0.08, 0.18, 0.07}),
    [](const auto& sweep) { return std::string(sweep.param.system); });

TEST(FitOperators, EncoderAttentionOfAnH200) {
  const auto folder = testing::raw_folder();
  if (!folder) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  const Fits fits = fit_operators(read_platform(SPILLWAY_SOURCE_DIR "/platforms/hgx-h200.json"),
                                  {read_operator_csv(*folder + "h200_sxm__encoder_attention.csv.gz")});
  publish(fits);
  ASSERT_EQ(fits.numbers.size(), 1u);
  EXPECT_NEAR(fits.numbers[0].value, 0.456, 0.005);
  EXPECT_LT(mean_error(fits, "attention forwards"), 0.15);
  EXPECT_LT(mean_error(fits, "attentions of any size, by a table of the other half"), 0.06);
}

// The file has thirteen products with a thousand rows or more. All are compute-bound and none shows latency.
TEST(FitOperators, ProductsOfATrainingRunOnAnAscend910B) {
  const Fits fits =
      fit_operators(read_platform(SPILLWAY_SOURCE_DIR "/platforms/atlas-800-a2.json"),
                    {read_operator_csv(SPILLWAY_SOURCE_DIR "/workloads/measured/ascend-910b-gemm.csv")});
  ASSERT_EQ(fits.numbers.size(), 1u);
  EXPECT_NEAR(number_in(fits, kGemm)->value, 0.680, 0.005);
  EXPECT_EQ(number_in(fits, kGemm)->points, 7u);
  EXPECT_NE(open(fits, kMemory), nullptr);
  EXPECT_NE(open(fits, kLatency), nullptr);
}

}  // namespace
}  // namespace spillway
