// The closed form of goodput against runs that are walked and simulated, and Young's and Daly's intervals
// against the best one.
#include "goodput/goodput.h"

#include <cmath>

#include "goodput/simulated_run.h"
#include "support/property.h"
#include "times.h"
#include "walked_run.h"

namespace spillway {
namespace {

using testing::Devices;
using testing::minutes;
using testing::number;
using testing::WalkedRun;

// A run that trains at least a few percent of its time.
FailingRun any_run() {
  return {.between_failures = minutes(number(30, 3000)),
          .restart = minutes(number(0, 40)),
          .stall = minutes(0.1 * number(0, 100)),
          .lag = minutes(0.1 * number(0, 100))};
}

Seconds any_interval() {
  return minutes(number(1, 200));
}

// The closed form lies within so many standard errors of a simulation. Hundreds of runs are simulated, so the
// usual two would fail.
constexpr double kErrors = 4.5;

RC_GTEST_PROP(Goodput, IsWhatASimulationGives, ()) {
  const FailingRun run = any_run();
  const Seconds interval = any_interval();
  const auto gaps = failure_gaps(run.between_failures, 20'000, number(0, 1'000'000));
  const SimulatedGoodput simulated = simulated_goodput(run, interval, gaps);
  RC_ASSERT(std::abs(goodput(run, interval) - simulated.mean) <= kErrors * simulated.deviation + 1e-4);
}

RC_GTEST_PROP(Goodput, OfASimulationIsThatOfAWalkedRun, ()) {
  const FailingRun run = any_run();
  const Seconds interval = any_interval();
  const auto gaps = failure_gaps(run.between_failures, 300, number(0, 1'000'000));
  WalkedRun walked(run, interval);
  Seconds now;
  for (const Seconds gap : gaps) {
    walked.go(now, now + gap);
    now += gap;
  }
  // Rounding may decide about a checkpoint that ends at the failure.
  RC_ASSERT(std::abs(walked.trained() / now - simulated_goodput(run, interval, gaps).mean) <=
            1.5 * (interval / now));
}

RC_GTEST_PROP(Goodput, OfManyDevicesIsThatOfOneThatFailsAsOften, ()) {
  FailingRun run = any_run();
  const Seconds interval = any_interval();
  const std::uint32_t count = number(1, 64);
  Devices devices(count, run.between_failures * count, number(0, 1'000'000));
  WalkedRun walked(run, interval);
  std::vector<Seconds> gaps;
  Seconds now;
  for (int failure = 0; failure < 3000; ++failure) {
    const Seconds next = devices.next_failure();
    walked.go(now, next);
    gaps.push_back(next - now);
    now = next;
  }
  const double error = simulated_goodput(run, interval, gaps).deviation;
  RC_ASSERT(std::abs(walked.trained() / now - goodput(run, interval)) <= kErrors * error + 1e-3);
}

RC_GTEST_PROP(Goodput, IsGreatestAtTheBestInterval, ()) {
  FailingRun run = any_run();
  run.stall += Seconds(1);
  const Seconds best = best_interval(run);
  for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0})
    RC_ASSERT(goodput(run, best * factor) < goodput(run, best));
}

RC_GTEST_PROP(Goodput, AtYoungsAndDalysIntervalsIsNearTheBest, ()) {
  FailingRun run = any_run();
  run.stall = run.between_failures * (0.001 * number(1, 200));
  const double best = goodput(run, best_interval(run));
  RC_ASSERT(goodput(run, daly_interval(run)) >= 0.999 * best);
  RC_ASSERT(goodput(run, young_interval(run)) >= 0.96 * best);
}

RC_GTEST_PROP(Goodput, FallsWithEveryLoss, ()) {
  const FailingRun run = any_run();
  const Seconds interval = any_interval();
  const double share = goodput(run, interval);
  RC_ASSERT(share > 0 && share < 1);
  FailingRun worse = run;
  worse.between_failures = run.between_failures * 0.9;
  RC_ASSERT(goodput(worse, interval) < share);
  for (Seconds FailingRun::*loss : {&FailingRun::restart, &FailingRun::stall, &FailingRun::lag}) {
    worse = run;
    worse.*loss += Seconds(30);
    RC_ASSERT(goodput(worse, interval) < share);
  }
}

// Daly 2006, figures 3 to 5: restarts of 10 min, checkpoints of 5 min.
TEST(DalysInterval, IsThatOfHisExamples) {
  const auto daly = [](double hours) {
    return daly_interval({Seconds(3600 * hours), minutes(10), minutes(5), {}}).value() / 60;
  };
  EXPECT_NEAR(daly(24), 117, 0.5);
  EXPECT_NEAR(daly(6), 57, 0.5);
  EXPECT_NEAR(daly(0.25), 9.1, 0.05);
}

TEST(DalysInterval, IsTheMeanTimeBetweenFailuresWhereCheckpointsTakeTwiceAsLong) {
  const FailingRun run = {minutes(10), minutes(1), minutes(20), {}};
  EXPECT_EQ(daly_interval(run), minutes(10));
  EXPECT_LT(best_interval(run), minutes(10));
}

TEST(Intervals, AreNothingIfCheckpointsStallNothing) {
  const FailingRun run = {minutes(600), minutes(10), {}, minutes(2)};
  EXPECT_EQ(young_interval(run), Seconds());
  EXPECT_EQ(daly_interval(run), Seconds());
  EXPECT_LT(best_interval(run), Seconds(1e-3));
}

TEST(Steps, BetweenCheckpointsAreTheBestWholeNumber) {
  const FailingRun run = {minutes(600), minutes(10), minutes(1), {}};
  const std::uint64_t steps = best_steps(run, Seconds(7), 1);
  const auto at = [&](std::uint64_t count) {
    return goodput(run, Seconds(7.0 * static_cast<double>(count)));
  };
  EXPECT_GT(at(steps), at(steps - 1));
  EXPECT_GT(at(steps), at(steps + 1));
  EXPECT_EQ(best_steps(run, Seconds(7), 1000), 1000u);
  EXPECT_EQ(best_steps(run, minutes(900), 1), 1u);
}

RC_GTEST_PROP(SimulatedInterval, IsAsGoodAsTheBest, ()) {
  FailingRun run = any_run();
  run.stall += Seconds(5);
  const Seconds step(number(1, 30));
  const std::uint64_t best = best_steps(run, step, 1);
  const auto gaps = failure_gaps(run.between_failures, 5'000, number(0, 1'000'000));
  const SimulatedBest found = simulated_best(run, step, best, 1, gaps);
  const auto at = [&](std::uint64_t steps) { return goodput(run, step * static_cast<double>(steps)); };
  RC_ASSERT(at(found.steps) >= at(best) - 2 * kErrors * found.goodput.deviation);
  RC_ASSERT(found.goodput.mean >= simulated_goodput(run, step * static_cast<double>(best), gaps).mean);
}

TEST(FailureGaps, AreThoseOfTheirSeed) {
  const auto gaps = failure_gaps(Seconds(10), 50'000, 7);
  EXPECT_EQ(gaps, failure_gaps(Seconds(10), 50'000, 7));
  EXPECT_NE(gaps, failure_gaps(Seconds(10), 50'000, 8));
  Seconds sum;
  for (const Seconds gap : gaps) sum += gap;
  EXPECT_NEAR(sum.value() / 50'000, 10, 0.2);
}

TEST(SecuredTraining, IsThatOfWholeIntervals) {
  const FailingRun run = {Seconds(100), Seconds(10), Seconds(5), Seconds(3)};
  EXPECT_EQ(secured_in(Seconds(57), run, Seconds(40)), Seconds());
  EXPECT_EQ(secured_in(Seconds(58), run, Seconds(40)), Seconds(40));
  EXPECT_EQ(secured_in(Seconds(103), run, Seconds(40)), Seconds(80));
  EXPECT_EQ(secured_in(Seconds(5), run, Seconds(40)), Seconds());
}

}  // namespace
}  // namespace spillway
