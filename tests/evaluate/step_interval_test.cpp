// Checks that a step's interval contains the step, repeats exactly, is wider where less is known, and is
// compared with measurements.
#include "evaluate/step_interval.h"

#include <gtest/gtest.h>

#include "evaluate/run_cases.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"
#include "support/shipped.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::kSource;

std::optional<StepInterval> interval_of(const std::string& name, const std::vector<Setting>& settings = {}) {
  const Experiment experiment = read_experiment(kSource + "/workloads/experiments/" + name, settings);
  OrderCache orders;
  return step_interval(experiment, experiment.schedules.front(), orders);
}

TEST(StepInterval, GivenDurationsHaveNone) {
  EXPECT_FALSE(interval_of("small.json").has_value());
}

TEST(StepInterval, LiesAroundTheStepAndIsTheSameTwice) {
  const auto one = interval_of("ascend-910b-pp2.json"), again = interval_of("ascend-910b-pp2.json");
  ASSERT_TRUE(one.has_value());
  EXPECT_LT(one->low, 1);
  EXPECT_GT(one->high, 1);
  EXPECT_EQ(one->draws, 100u);
  EXPECT_EQ(one->low, again->low);
  EXPECT_EQ(one->high, again->high);
}

// Compares a job on a platform with measured products and on one known from a data sheet.
TEST(StepInterval, IsWiderWhereLessIsKnown) {
  const auto measured = interval_of("qwen2-vl-72b.json", {{"/pipeline/replicas", "1"}});
  const auto sheet =
      interval_of("qwen2-vl-72b.json",
                  {{"/pipeline/replicas", "1"}, {"/platform", kSource + "/platforms/cloudmatrix384.json"}});
  EXPECT_LT(measured->high / measured->low, sheet->high / sheet->low);
}

// Uncertainty that both steps share leaves their ratio alone, so the ratio is far better known than either
// step.
TEST(StepInterval, OfASpeedupHasBothStepsUnderTheSameDraws) {
  // An assumed host would slow one of the schedules down alone.
  const Experiment experiment = read_experiment(kSource + "/workloads/experiments/qwen2-vl-72b.json",
                                                {{"/framework", R"("megatron-eager")"}});
  OrderCache orders;
  std::vector<StepInterval> steps;
  for (const ScheduleSpec& schedule : experiment.schedules)
    steps.push_back(*step_interval(experiment, schedule, orders));
  ASSERT_GE(steps.size(), 2u);
  const StepInterval over = speedup_interval(steps[0], steps[1]);
  EXPECT_EQ(over.draws, 100u);
  EXPECT_LE(over.low, 1);
  EXPECT_GE(over.high, 1);
  EXPECT_LT(over.high / over.low, 0.5 * (steps[0].high / steps[0].low - 1) + 1);
  const StepInterval itself = speedup_interval(steps[0], steps[0]);
  EXPECT_EQ(itself.low, 1);
  EXPECT_EQ(itself.high, 1);
}

CaseResult within(double low, double high, double measured, bool fitted) {
  CaseResult one{
      {.name = "x", .step = Seconds(measured), .blind = {}, .memory = {}, .fitted = fitted}, Seconds(1), {}};
  one.interval = {low, high, 100};
  return one;
}

TEST(Coverage, CountsCasesThatNothingWasFittedTo) {
  const std::vector<CaseResult> cases = {within(0.9, 1.1, 1.05, false), within(0.9, 1.1, 1.2, false),
                                         within(0.9, 1.1, 0.8, true), within(0.9, 1.1, 0.9, false)};
  EXPECT_EQ(coverage(cases)->held, 2u);
  EXPECT_EQ(coverage(cases)->of, 3u);
  EXPECT_FALSE(coverage({cases[2]}).has_value());
}

}  // namespace
}  // namespace spillway
