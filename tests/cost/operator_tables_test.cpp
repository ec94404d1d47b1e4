// Measured tables (ai-dynamo/aiconfigurator at 095f58a5): a random half is fitted, the other half predicted.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cost/operators/operator_times.h"
#include "small_accelerator.h"
#include "support/raw_table.h"

namespace spillway {
namespace {

using testing::raw_folder;

constexpr double kBar = 0.08;

// Memory bandwidth is the vendor's; the tables replace every other figure.
OperatorTimes fitted_to(OperatorTables tables, double memory_bandwidth) {
  Accelerator accelerator = small_accelerator();
  accelerator.memory_bandwidth.value = BytesPerSecond(memory_bandwidth);
  accelerator.operators = std::move(tables);
  return OperatorTimes(accelerator);
}

// Returns the mean of |predicted / measured - 1| over the half that was not fitted.
template <class Row, class Predict>
double error_on_other_half(const std::vector<Row>& table, std::vector<Row> OperatorTables::*rows,
                           double memory_bandwidth, Predict predict) {
  std::mt19937 generator(1);
  OperatorTables fitted;
  std::vector<Row> others;
  for (const Row& row : table) (generator() % 2 == 0 ? fitted.*rows : others).push_back(row);
  const OperatorTimes times = fitted_to(fitted, memory_bandwidth);
  double sum = 0;
  for (const Row& row : others) sum += std::abs(predict(times, row) / row.time - 1);
  return sum / static_cast<double>(others.size());
}

double gemm_error(const std::string& system, double memory_bandwidth) {
  return error_on_other_half(testing::raw_gemms(system), &OperatorTables::gemms, memory_bandwidth,
                             [](const OperatorTimes& times, const MeasuredGemm& row) {
                               return times.gemm({row.m, row.n, row.k}).time;
                             });
}

// Checks the error where the raw tables are available, and records it in the test report.
#define EXPECT_ERROR_BELOW_BAR(error)                                     \
  if (!raw_folder()) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set"; \
  const double measured_error = error;                                    \
  RecordProperty("mean_absolute_error", std::to_string(measured_error));  \
  EXPECT_LT(measured_error, kBar)

TEST(OperatorTables, PredictHalfOfTheA100Gemms) {
  EXPECT_ERROR_BELOW_BAR(gemm_error("a100", 2.0e12));
}

TEST(OperatorTables, PredictHalfOfTheH100Gemms) {
  EXPECT_ERROR_BELOW_BAR(gemm_error("h100", 3.35e12));
}

TEST(OperatorTables, PredictHalfOfTheB200Gemms) {
  EXPECT_ERROR_BELOW_BAR(gemm_error("b200", 8.0e12));
}

TEST(OperatorTables, PredictHalfOfTheH200EncoderAttention) {
  EXPECT_ERROR_BELOW_BAR(error_on_other_half(
      testing::raw_encoder_attention(), &OperatorTables::attentions, 4.8e12,
      [](const OperatorTimes& times, const MeasuredAttention& row) {
        const AttentionShape shape{row.heads, row.key_value_heads, row.key_width, row.value_width, false};
        const Sequences sequences{row.batch, row.length};
        return times.attention(shape, {&sequences, 1}, false).time;
      }));
}

}  // namespace
}  // namespace spillway
