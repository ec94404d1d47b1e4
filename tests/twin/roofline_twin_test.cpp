// A table that the roofline made changes nothing, in the layout that it was made in and in others.
#include <gtest/gtest.h>

#include <cmath>

#include "input/experiment/experiment.h"
#include "input/experiment/measured_rows.h"
#include "support/shipped.h"
#include "twin/trace_rows.h"
#include "twin/twin.h"
#include "twin_of_roofline.h"

namespace spillway::testing {
namespace {

Experiment read(const std::string& name, const std::vector<Setting>& settings = {}) {
  return read_experiment(Source(kExperiments + name + ".json"), settings);
}

// The experiment with the passes of the trace.
Experiment twin_of_schedule(Experiment experiment, const Trace& trace, const std::string& schedule) {
  const TraceRows read = trace_rows(trace, experiment, {.steps = {}, .ranks = {}, .schedule = schedule});
  AnalyticCosts& costs = *on_platform(experiment.costs);
  Findings findings;
  costs.measured = measured_passes(read.rows, experiment.model, costs, findings);
  findings.throw_if_any();
  return experiment;
}

void expect_equal(Seconds a, Seconds b) {
  EXPECT_NEAR(a.value(), b.value(), 1e-9 * b.value());
}

struct Twinned {
  std::string experiment, schedule;

  friend std::ostream& operator<<(std::ostream& out, const Twinned& one) {
    return out << one.experiment << ' ' << one.schedule;
  }
};

class TwinOfRoofline : public ::testing::TestWithParam<Twinned> {};

TEST_P(TwinOfRoofline, TakesTheExperimentsOwnStep) {
  const auto& [name, schedule] = GetParam();
  const Experiment own = read(name);
  const Experiment twin = twin_of_schedule(own, trace_of_roofline(own, schedule), schedule);
  expect_equal(step_of(twin, schedule), step_of(own, schedule));
}

TEST_P(TwinOfRoofline, RestsOnMeasuredPassesAlone) {
  const auto& [name, schedule] = GetParam();
  const Experiment own = read(name);
  const Experiment twin = twin_of_schedule(own, trace_of_roofline(own, schedule), schedule);
  const DrawCosts costs(twin);
  OrderCache orders;
  const auto prepared = plan(costs, orders, schedule_called(twin, schedule)).prepared;
  const auto operators = costs.of(prepared->derived, 0)->priced_operators(prepared->derived.order);
  const EvidenceSummary evidence = summarize(operators);
  EXPECT_DOUBLE_EQ(evidence.share(Evidence::Measured), 1);
}

INSTANTIATE_TEST_SUITE_P(Shipped, TwinOfRoofline,
                         ::testing::Values(Twinned{"small-vlm", "transposed"},
                                           Twinned{"small-vlm", "first-stage"},
                                           Twinned{"ascend-910b-pp2", "1f1b"}));

// Another draw has other images: the curves of images of many sizes stay near the roofline, which is nearly
// linear.
TEST(TwinOfRooflineElsewhere, IsNearInAnotherDraw) {
  const Experiment own = read("small-vlm", {{"/pipeline/microbatches", "32"}});
  Experiment twin = twin_of_schedule(own, trace_of_roofline(own, "first-stage"), "first-stage");
  Experiment other = own;
  twin.seed = other.seed = 7;
  const double ratio = step_of(twin, "first-stage") / step_of(other, "first-stage");
  EXPECT_NEAR(ratio, 1, 0.02);
}

// Stages of 6 and 6 layers tell how long others take.
TEST(TwinOfRooflineElsewhere, IsNearInAnotherSplit) {
  const Experiment own = read("small-vlm");
  const Experiment twin = twin_of_schedule(own, trace_of_roofline(own, "first-stage"), "first-stage");
  for (const std::string schedule : {"transposed", "balanced"})
    EXPECT_NEAR(step_of(twin, schedule) / step_of(own, schedule), 1, 0.05) << schedule;
}

// A stage takes its measured time, times the roofline here over the roofline as measured.
TEST(TwinOfRooflineElsewhere, IsTheRooflineInAnotherLayout) {
  const Experiment one = read("ascend-910b-pp2"),
                   two = read("ascend-910b-pp2", {{"/parallel/tensor", "2"}, {"/pipeline/replicas", "1"}});
  Experiment twin = twin_of_schedule(one, trace_of_roofline(one, "1f1b"), "1f1b");
  Experiment there = two;
  on_platform(there.costs)->measured = on_platform(twin.costs)->measured;
  expect_equal(step_of(there, "1f1b"), step_of(two, "1f1b"));
  const TwinAccount account = twin_account(there);
  ASSERT_FALSE(account.notes.empty());
  EXPECT_NE(account.notes.front().find("extrapolated by the roofline's ratio"), std::string::npos);
}

TEST(TwinOfRooflineElsewhere, SplitsAWholeBackwardAsTheRooflineDoes) {
  const std::vector<Setting> settings = {
      {"/schedules", R"([{"name": "whole", "schedule": "1f1b"}, {"name": "split", "schedule": "zb-h1"}])"}};
  const Experiment own = read("ascend-910b-pp2", settings);
  const Experiment twin = twin_of_schedule(own, trace_of_roofline(own, "whole"), "whole");
  expect_equal(step_of(twin, "split"), step_of(own, "split"));
  const Experiment of_parts = twin_of_schedule(
      own, trace_of_roofline(own, "split", {Pass::Forward, Pass::InputGradient, Pass::WeightGradient}),
      "split");
  expect_equal(step_of(of_parts, "split"), step_of(own, "split"));
}

// Passes that take three times as long make a step nearly three times as long; transfers stay.
TEST(TwinOfRooflineElsewhere, FollowsTheTrace) {
  const Experiment own = read("small-vlm");
  Trace slow = trace_of_roofline(own, "first-stage");
  for (TraceEvent& event : slow.events) event.duration = event.duration * 3;
  const Experiment twin = twin_of_schedule(own, slow, "first-stage");
  const double ratio = step_of(twin, "first-stage") / step_of(own, "first-stage");
  EXPECT_GT(ratio, 2.7);
  EXPECT_LE(ratio, 3 + 1e-9);
}

}  // namespace
}  // namespace spillway::testing
