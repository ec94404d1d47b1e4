#include "explain/solve_gap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/property.h"

namespace spillway {
namespace {

const GapScale kSpeedOf{1, 0.5, 2, {0.8}, true};
constexpr double kFixed = 3, kScaled = 7;  // seconds

// Counts evaluations of a step with a part that a speed divides.
StepAt step_at_speed(int& evaluations) {
  return [&evaluations](double speed) {
    ++evaluations;
    return std::optional(ChangedStep{Seconds(kFixed + kScaled / speed), {}});
  };
}

RC_GTEST_PROP(SolveGap, FindsTheSpeedThatGivesTheStep, ()) {
  const double planted = 0.5 + *rc::gen::inRange(1, 1500) / 1000.0;
  if (planted == 1) return;
  int evaluations = 0;
  const Seconds measured(kFixed + kScaled / planted);
  const auto found = solve_gap(kSpeedOf, planted < 1, measured, step_at_speed(evaluations));
  RC_ASSERT(found.has_value());
  RC_ASSERT(std::abs(*found / planted - 1) < 1e-3);
  RC_ASSERT(evaluations <= 5);
}

// The step has a kink, as where hosts begin to hold devices up.
RC_GTEST_PROP(SolveGap, FindsItBehindAKink, ()) {
  const double planted = 1 + *rc::gen::inRange(500, 1000) / 1000.0;
  const auto step = [](double time) { return Seconds(10 + std::max(0.0, 8 * (time - 1.4))); };
  const GapScale scale{1, 2, 1, {1.34}, false};
  const auto found = solve_gap(scale, true, step(planted), [&](double time) {
    return ChangedStep{step(time), {}};
  });
  RC_ASSERT(std::abs(step(*found) / step(planted) - 1) <= 1e-4);
}

TEST(SolveGap, TakesTheEndOfTheRangeForAStepBeyondIt) {
  int evaluations = 0;
  EXPECT_EQ(solve_gap(kSpeedOf, true, Seconds(100), step_at_speed(evaluations)), 0.5);
  EXPECT_EQ(solve_gap(kSpeedOf, false, Seconds(1), step_at_speed(evaluations)), 2.0);
}

TEST(SolveGap, HasNoAnswerOnASideWithoutARange) {
  int evaluations = 0;
  EXPECT_EQ(solve_gap({1, 0.5, 1, {}, true}, false, Seconds(1), step_at_speed(evaluations)), std::nullopt);
  EXPECT_EQ(solve_gap(kSpeedOf, true, Seconds(20), [](double) { return std::optional<ChangedStep>(); }),
            std::nullopt);
}

}  // namespace
}  // namespace spillway
