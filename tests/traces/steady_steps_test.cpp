#include "traces/logs/steady_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace spillway::testing {
namespace {

std::vector<Seconds> step_times(const std::vector<double>& times) {
  std::vector<Seconds> all;
  for (const double time : times) all.push_back(Seconds(time));
  return all;
}

TEST(SteadySteps, TheExampleOfTheHeader) {
  const SteadySteps steady = steady_steps(step_times({9.1, 5.4, 5.3, 5.5, 5.4}));
  EXPECT_EQ(steady.warm_up, 1U);
  EXPECT_EQ(steady.steps, 4U);
  EXPECT_DOUBLE_EQ(steady.mean.value(), 5.4);
}

TEST(SteadySteps, AtMostHalfOfTheStepsAreWarmUp) {
  EXPECT_EQ(warm_up_steps(step_times({9, 8, 7, 6, 1})), 2U);
  EXPECT_EQ(warm_up_steps(step_times({9})), 0U);
}

TEST(SteadySteps, ASlowStepInTheMiddleIsNoWarmUp) {
  EXPECT_EQ(warm_up_steps(step_times({1, 1, 5, 1, 1, 1})), 0U);
}

TEST(SteadySteps, TheIntervalOfTheMeanIsStudents) {
  // The standard deviation is 0.05; t of two degrees of freedom is 4.3027.
  const SteadySteps steady = steady_steps(step_times({1.0, 1.05, 1.1}));
  EXPECT_NEAR(steady.mean_ci95->value(), 4.3027 * 0.05 / std::sqrt(3.0), 1e-5);
  EXPECT_FALSE(steady_steps(step_times({1})).mean_ci95);
}

TEST(SteadySteps, AClimbDriftsAndNoiseDoesNot) {
  std::vector<double> climb, noise;
  for (int i = 0; i < 30; ++i) {
    const double jitter = 0.004 * ((i * 7) % 5 - 2);
    climb.push_back(1 + 0.005 * i + jitter);
    noise.push_back(1 + jitter);
  }
  EXPECT_TRUE(steady_steps(step_times(climb)).drifts);
  EXPECT_FALSE(steady_steps(step_times(noise)).drifts);
  EXPECT_FALSE(steady_steps(step_times({1, 1, 1, 1, 1, 1, 1, 2})).drift);
}

TEST(SteadySteps, OnlyValuesWellAboveTheMedianAreSlow) {
  EXPECT_EQ(slow_ones(step_times({1, 1.04, 1.2, 1})), std::vector<std::size_t>{2});
  EXPECT_TRUE(slow_ones(step_times({1, 2})).empty());
}

}  // namespace
}  // namespace spillway::testing
