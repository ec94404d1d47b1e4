// Measured optimizers take the place of modelled ones, in the split that they were measured in and in others.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cost/analytic_footprints.h"
#include "cost/step_end.h"
#include "draws/fold.h"
#include "input/experiment/experiment.h"
#include "input/experiment/measured_rows.h"
#include "support/shipped.h"
#include "twin/trace_rows.h"
#include "twin_of_roofline.h"

namespace spillway::testing {
namespace {

Experiment read_small(const std::string& name, const std::vector<Setting>& settings = {}) {
  return read_experiment(Source(kExperiments + name + ".json"), settings);
}

struct StageTimes {
  std::vector<Stage> stages;
  std::vector<Seconds> optimizers;
};

StageTimes modelled(const Experiment& experiment, const std::string& name) {
  const ScheduleSpec& schedule = schedule_called(experiment, name);
  const Outline outline =
      derive_outline(experiment.model, schedule.schedule, schedule.cut, derive_options(experiment, schedule));
  const AnalyticCosts& costs = *on_platform(experiment.costs);
  const StageSlabs slabs(costs, outline);
  return {outline.stages, optimizer_times(costs, outline, slabs, stage_states(outline, slabs))};
}

// The rows of the roofline's passes, and of optimizers that take `factor` times as long as modelled.
std::vector<MeasuredRow> rows_of(const Experiment& experiment, const std::string& schedule, double factor) {
  TraceRows read = trace_rows(trace_of_roofline(experiment, schedule), experiment,
                              {.steps = {}, .ranks = {}, .schedule = schedule});
  const auto [stages, times] = modelled(experiment, schedule);
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (times[i] > Seconds())
      read.rows.push_back({"updates.csv",
                           "line",
                           layers_text(experiment.model, stages[i].layers),
                           "optimizer",
                           "",
                           "",
                           {factor * times[i] / milliseconds(1)}});
  return read.rows;
}

Experiment with_rows(Experiment experiment, const std::vector<MeasuredRow>& rows,
                     std::optional<std::uint32_t> replicas = {}) {
  AnalyticCosts& costs = *on_platform(experiment.costs);
  Findings findings;
  PassTable measured = *measured_passes(rows, experiment.model, costs, findings);
  findings.throw_if_any();
  measured.replicas = replicas;
  costs.measured = std::make_shared<const PassTable>(measured);
  return experiment;
}

void expect_near(Seconds a, Seconds b) {
  EXPECT_NEAR(a.value(), b.value(), 1e-9 * b.value());
}

struct OfJob {
  std::string experiment, schedule;

  friend std::ostream& operator<<(std::ostream& out, const OfJob& one) { return out << one.experiment; }
};

class MeasuredOptimizer : public ::testing::TestWithParam<OfJob> {};

TEST_P(MeasuredOptimizer, ThatTheModelMadeChangesNothing) {
  const auto& [name, schedule] = GetParam();
  const Experiment own = read_small(name);
  expect_near(step_of(with_rows(own, rows_of(own, schedule, 1)), schedule), step_of(own, schedule));
}

// A rank whose optimizer takes that much longer ends the step that much later.
TEST_P(MeasuredOptimizer, ThatIsLongerMakesTheStepLonger) {
  const auto& [name, schedule] = GetParam();
  const Experiment own = read_small(name);
  const auto [stages, times] = modelled(own, schedule);
  const double factor = 1 + 100 * (step_of(own, schedule) / std::ranges::max(times));
  const Seconds longer = step_of(with_rows(own, rows_of(own, schedule, factor)), schedule);
  const Seconds most = std::ranges::max(times) * (factor - 1);
  EXPECT_NEAR(longer / most, 1, 0.02);
}

// The time of a layer follows from stages of several.
TEST_P(MeasuredOptimizer, ServesAnotherSplit) {
  const auto& [name, schedule] = GetParam();
  const Experiment own = read_small(name);
  std::vector<MeasuredRow> rows = rows_of(own, schedule, 7);
  for (MeasuredRow& row : rows)
    if (row.direction != "optimizer") row.milliseconds = {1e-3};
  const std::vector<Setting> settings = {
      {"/schedules", R"([{"name": "other", "schedule": "1f1b", "layers_per_rank": [)" +
                         std::to_string(own.model.layer_count() - 3) + ", 3]}]"},
      {"/baseline", "\"other\""}};
  const Experiment other = read_small(name, settings);
  const Experiment stated = with_rows(other, rows);
  const auto [stages, times] = modelled(other, "other");
  std::vector<MeasuredRow> without = rows;
  std::erase_if(without, [](const MeasuredRow& row) { return row.direction == "optimizer"; });
  const Seconds measured = step_of(stated, "other"), model = step_of(with_rows(other, without), "other");
  EXPECT_NEAR((measured - model) / (std::ranges::max(times) * 6), 1, 0.1);
}

TEST_P(MeasuredOptimizer, IsEvidence) {
  const auto& [name, schedule] = GetParam();
  const Experiment own = read_small(name);
  const Experiment twin = with_rows(own, rows_of(own, schedule, 2));
  const DrawCosts costs(twin);
  OrderCache orders;
  const auto prepared = plan(costs, orders, schedule_called(twin, schedule)).prepared;
  Seconds sum;
  for (const PricedOperator& one : costs.of(prepared->derived, 0)->priced_operators(prepared->derived.order))
    if (one.name == "measured optimizer") {
      EXPECT_EQ(one.evidence, Evidence::Measured);
      sum += one.time;
    }
  Seconds stages;
  for (const Seconds time : modelled(own, schedule).optimizers) stages += time * 2;
  const double devices = static_cast<double>(on_platform(own.costs)->parallelism.members()) *
                         on_platform(own.costs)->equal_replicas * own.pipeline.replicas;
  expect_near(sum, stages * devices);
}

// ascend-910b-pp2 states how a step ends, small-vlm does not.
INSTANTIATE_TEST_SUITE_P(Shipped, MeasuredOptimizer,
                         ::testing::Values(OfJob{"small-vlm", "first-stage"},
                                           OfJob{"ascend-910b-pp2", "1f1b"}));

// Two replicas share the states of ZeRO-1. Measured on one device with all states, an optimizer takes half of
// that.
TEST(MeasuredOptimizers, OfWholeStatesAreSharedByTheJob) {
  const Experiment shared = read_small("ascend-910b-pp2"),
                   whole = read_small("ascend-910b-pp2", {{"/pipeline/replicas", "1"}});
  std::vector<MeasuredRow> rows = rows_of(whole, "1f1b", 1);
  const Seconds model = step_of(shared, "1f1b");
  expect_near(step_of(with_rows(shared, rows, 1), "1f1b"), model);
  EXPECT_GT(step_of(with_rows(shared, rows), "1f1b"), model * 1.0001);
}

// A folded job's replica stands for both. Those stated of the measured job stand for themselves.
TEST(MeasuredOptimizers, OfStatedReplicasAreThoseOfAFoldedJob) {
  const Experiment own = read_small("ascend-910b-pp2");
  const Experiment job = folded(with_rows(own, rows_of(own, "1f1b", 1), 2), Links::Own);
  ASSERT_EQ(equal_replicas(job), 2u);
  expect_near(step_of(job, "1f1b"), step_of(own, "1f1b"));
}

std::string refusal_of_rows(const Experiment& experiment, const std::vector<MeasuredRow>& rows) {
  try {
    with_rows(experiment, rows);
  } catch (const InputError& error) {
    return error.violations().front().pointer + ": " + error.violations().front().expected;
  }
  return "";
}

std::string refused(const std::string& stage, const std::string& tokens, bool frozen = false) {
  const Experiment own = read_small("small-vlm", {{"/model/blocks/0/trainable", frozen ? "false" : "true"}});
  return refusal_of_rows(own, {{"x.csv", "line 2", stage, "optimizer", tokens, "", {1}},
                               {"x.csv", "line 3", "llm:0-1", "forward", "9", "", {1}}});
}

TEST(MeasuredOptimizers, ThatDoNotFitAreRefused) {
  EXPECT_EQ(refused("enc", ""), "");
  EXPECT_EQ(refused("enc", "7"), "line 2: no tokens and no patches, since an optimizer reads none");
  EXPECT_EQ(refused("enc", "", true), "line 2: an optimizer of layers of which one is trained");
  EXPECT_EQ(refused("llm:0-99", "").substr(0, 21), "line 2: layers of llm");
}

TEST(MeasuredOptimizers, AloneAreNoTable) {
  EXPECT_EQ(refusal_of_rows(read_small("small-vlm"), {{"x.csv", "line 2", "llm", "optimizer", "", "", {1}}}),
            "line 2: at least one measured pass with its time, beside the optimizer and bytes");
}

}  // namespace
}  // namespace spillway::testing
