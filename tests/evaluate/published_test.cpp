// Bounds the model's error against published measurements, without the cases that it was fitted to. The
// tables are those of `spillway validate`, which replays them. Where a replay takes more than a second,
// these tests run the longest path, without shared links; the mean errors differ by a tenth of a percent.
#include <gtest/gtest.h>

#include "evaluate/run_cases.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"

namespace spillway {
namespace {

using testing::kLongestPath;

constexpr Engines kReplay{.run = {Engine::SimGrid}};
const std::string kWorkloads = SPILLWAY_SOURCE_DIR "/workloads/";

std::vector<CaseResult> published(const std::string& table, const Engines& engines) {
  return run_cases(CaseFile(kWorkloads + "published/" + table + ".json"), engines);
}

TEST(Published, SimuMaxB200StepsAndMemory) {
  const std::vector<CaseResult> cases = published("simumax-b200", kReplay);
  const ErrorSummary time = time_errors(cases, false).value(), memory = memory_errors(cases, false).value();
  EXPECT_EQ(time.count, 9U);
  EXPECT_LT(time.mean_absolute, 0.08);
  EXPECT_EQ(memory.count, 9U);
  EXPECT_LT(memory.mean_absolute, 0.03);
}

TEST(Published, NemoH100Steps) {
  const ErrorSummary time = time_errors(published("nemo-h100", kLongestPath), false).value();
  EXPECT_EQ(time.count, 10U);
  EXPECT_LT(time.mean_absolute, 0.06);
}

TEST(Published, VTrainA100Steps) {
  const ErrorSummary time = time_errors(published("vtrain-a100", kLongestPath), false).value();
  EXPECT_EQ(time.count, 55U);
  EXPECT_LT(time.mean_absolute, 0.12);
}

Throughput throughput_of(const std::string& experiment) {
  const Evaluation evaluation =
      evaluate(read_experiment(kWorkloads + "experiments/" + experiment + ".json", {}), kLongestPath);
  const DrawResult& draw = evaluation.schedules.front().draws.front();
  return throughput(draw.account.value(), draw.step.makespan);
}

constexpr double kPoints = 0.05;

// The bar is 400 TFLOP/s on 16,384 H100. It counts half of causal attention, as reports do.
TEST(PaperFigure1, TheLlamaBarIsWithinFivePoints) {
  EXPECT_NEAR(throughput_of("llama3-405b").mfu, 0.41, kPoints);
}

// Uses the FLOPs per token that tests/cost/paper_table_test.cpp checks against the paper's own way of
// counting.
TEST(PaperFigure1, TheDeepSeekBarIsWithinFivePoints) {
  constexpr double kFlopsPerToken = 286.3e9, kPeak = 989e12;
  const double tokens = throughput_of("deepseek-v3-h800").tokens_per_second_and_device;
  EXPECT_NEAR(tokens * kFlopsPerToken / kPeak, 0.4457, kPoints);
}

}  // namespace
}  // namespace spillway
