#include "evaluate/held_steps.h"

#include <gtest/gtest.h>

namespace spillway::testing {
namespace {

HeldStep held(double predicted, double measured, std::optional<StepInterval> interval = {}) {
  return {"a", Seconds(predicted), std::move(interval), Seconds(measured)};
}

TEST(HeldStep, TheErrorIsRelativeToTheMeasuredStep) {
  EXPECT_DOUBLE_EQ(held(3, 2).error(), 0.5);
  EXPECT_DOUBLE_EQ(held(1, 2).error(), -0.5);
}

TEST(HeldStep, TheIntervalIsRelativeToThePredictedStepAndHasItsEnds) {
  const StepInterval interval{0.5, 1.5, 10};
  EXPECT_EQ(held(2, 1, interval).holds(), true);
  EXPECT_EQ(held(2, 3, interval).holds(), true);
  EXPECT_EQ(held(2, 3.1, interval).holds(), false);
  EXPECT_EQ(held(2, 0.9, interval).holds(), false);
  EXPECT_EQ(held(2, 2).holds(), std::nullopt);
}

}  // namespace
}  // namespace spillway::testing
