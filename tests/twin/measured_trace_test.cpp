// Traces that others measured: from one step, or from one rank of each kind, a twin predicts the other steps.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "draws/costs.h"
#include "input/experiment/experiment.h"
#include "input/experiment/measured_rows.h"
#include "support/measured_data.h"
#include "support/shipped.h"
#include "traces/formats/read_trace.h"
#include "twin/trace_rows.h"
#include "validate/validation.h"

namespace spillway::testing {
namespace {

const std::string kAscend = kSource + "/workloads/published/traces/ascend-910b-pp2.csv";

Experiment read_job(const std::vector<Setting>& settings = {}) {
  return read_experiment(Source(kExperiments + "ascend-910b-pp2.json"), settings);
}

// A job of this shape whose layers stand for those of a trace, which does not name its model.
Experiment stand_in(std::uint32_t ranks, std::uint32_t microbatches) {
  return read_job({{"/pipeline/ranks", std::to_string(ranks)},
                   {"/pipeline/microbatches", std::to_string(microbatches)},
                   {"/pipeline/replicas", "1"},
                   {"/model/blocks/0/layers", std::to_string(4 * ranks)}});
}

Experiment twin_of(Experiment experiment, const Trace& trace, const TraceChoice& choice) {
  const TraceRows read = trace_rows(trace, experiment, choice);
  AnalyticCosts& costs = *on_platform(experiment.costs);
  Findings findings;
  costs.measured = measured_passes(read.rows, experiment.model, costs, findings);
  findings.throw_if_any();
  return experiment;
}

// The mean absolute error of a job's model over the steps of a trace that are not `left_out`.
double error_of(const Experiment& experiment, const Trace& trace, const std::vector<std::string>& left_out) {
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  const ModelSource source{experiment, [](const Experiment& adapted, const Derived& derived) {
                             return DrawCosts(adapted).of(derived, 0);
                           }};
  double sum = 0, count = 0;
  for (const ValidatedStep& step : validate_trace(trace, pipeline, match_schedule(pipeline), &source).cases) {
    if (std::ranges::find(left_out, step.step) != left_out.end()) continue;
    sum += std::abs(step.model.value() / step.measured - 1);
    ++count;
  }
  return sum / count;
}

// Both ranks are of a kind of their own, so both were measured.
TEST(MeasuredTrace, IsTwiceAsNearAsTheRoofline) {
  const Trace trace = read_trace(kAscend);
  const double roofline = error_of(read_job(), trace, {}),
               twin = error_of(twin_of(read_job(), trace, {}), trace, {});
  std::cout << "roofline " << roofline << ", twin " << twin << '\n';
  EXPECT_LT(twin, roofline / 2);
}

struct Raw {
  std::string path;
  std::vector<std::uint32_t> kinds;  // a rank of each kind
  double by_step, by_ranks;          // bounds of the errors

  friend std::ostream& operator<<(std::ostream& out, const Raw& raw) { return out << raw.path; }
};

class RawTrace : public ::testing::TestWithParam<Raw> {};

TEST_P(RawTrace, PredictsItsOtherStepsAndRanks) {
  const Raw& raw = GetParam();
  const auto path = measured_data(raw.path);
  if (!path) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  const Trace trace = read_trace(*path);
  const MeasuredPipeline shape = measured_pipeline(trace);
  ASSERT_EQ(shape.stages, shape.ranks);
  const Experiment job = stand_in(shape.ranks, shape.microbatches);
  const std::vector<std::string> warm_up = {trace.steps.front()},
                                 two = {trace.steps.front(), trace.steps.at(1)};
  const double by_step =
      error_of(twin_of(job, trace, {.steps = {trace.steps.at(1)}, .ranks = {}, .schedule = {}}), trace, two);
  const double by_ranks =
      error_of(twin_of(job, trace, {.steps = {}, .ranks = raw.kinds, .schedule = {}}), trace, warm_up);
  std::cout << raw.path << ": by one step " << by_step << ", by one rank of each kind " << by_ranks << '\n';
  EXPECT_LT(by_step, raw.by_step);
  EXPECT_LT(by_ranks, raw.by_ranks);
}

INSTANTIATE_TEST_SUITE_P(
    Others, RawTrace,
    ::testing::Values(Raw{"primus/pp8", {0, 3, 7}, 0.05, 0.05},
                      Raw{"pipeline_traces/straggler_analysis/trace-AR.csv", {0, 1, 3}, 0.3, 0.3},
                      Raw{"pipeline_traces/straggler_analysis/trace-ST.csv", {0, 1, 3}, 0.1, 0.1}));

std::string refusal(const Experiment& experiment) {
  try {
    trace_rows(read_trace(kAscend), experiment, {});
  } catch (const InputError& error) {
    return error.violations().front().expected + " | " + error.violations().front().found;
  }
  return "";
}

TEST(MeasuredTrace, OfAnotherJobIsRefused) {
  EXPECT_EQ(
      refusal(read_job({{"/pipeline/ranks", "4"}})),
      "a trace of a schedule of ascend-910b-pp2, with layers_per_rank where a system plans them | 2 stages; "
      "the schedules are 1f1b (4 stages)");
}

// Two steps of two stages: the trace does not say which images a microbatch had.
TEST(MeasuredTrace, OfImagesHasTheMeansOfItsSteps) {
  const Experiment images = read_experiment(Source(kExperiments + "small-vlm.json"), {});
  const TraceRows read = trace_rows(read_trace(kAscend), images, {});
  ASSERT_EQ(read.rows.size(), 4u);
  const std::size_t steps = read_trace(kAscend).steps.size();
  for (const MeasuredRow& row : read.rows) EXPECT_EQ(row.milliseconds.size(), steps);
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_NE(read.notes[0].find("held against the mean of 256 drawn ones"), std::string::npos)
      << read.notes[0];
}

}  // namespace
}  // namespace spillway::testing
