// Means over microbatches whose images are drawn: timers of Megatron and profiles say no more.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "draws/measured_layers.h"
#include "input/experiment/experiment.h"
#include "input/experiment/measured_rows.h"
#include "support/shipped.h"
#include "twin/measured_stages.h"
#include "twin/twin.h"
#include "twin_of_roofline.h"

namespace spillway::testing {
namespace {

const TraceChoice kFirstStage{.steps = {}, .ranks = {}, .schedule = "first-stage"};

Experiment small_vlm(const std::vector<Setting>& settings = {}) {
  return read_experiment(Source(kExperiments + "small-vlm.json"), settings);
}

// The mean of a stage's pass over the first draws, by the prices of each draw.
Seconds mean_over_draws(const Experiment& experiment, Pass pass, std::uint32_t stage) {
  const ScheduleSpec& schedule = schedule_called(experiment, "first-stage");
  const Outline outline =
      derive_outline(experiment.model, schedule.schedule, schedule.cut, derive_options(experiment, schedule));
  const DrawCosts costs(experiment);
  Seconds sum;
  std::size_t count = 0;
  for (std::uint32_t draw = 0; count < kDrawnMicrobatches; ++draw) {
    const auto model = costs.of(outline, draw);
    for (std::uint32_t m = 0; m < experiment.pipeline.microbatches; ++m, ++count)
      sum += model->pass(pass, StageId(stage), MicrobatchId(m), ReplicaId(0));
  }
  return sum / static_cast<double>(count);
}

// Every pass of the first-stage schedule takes `factor` times its mean over the draws.
Experiment twin_of_means(Experiment experiment, double factor) {
  const MicrobatchContents contents = microbatch_contents(experiment);
  const StagedSchedule staged = one_stage_on_each_rank(experiment, kFirstStage, "log");
  std::vector<MeasuredRow> rows;
  for (const auto& [word, pass] :
       {std::pair("forward", Pass::Forward), std::pair("backward", Pass::Backward)})
    for (std::uint32_t stage = 0; stage < staged.stages.size(); ++stage)
      rows.push_back({"log",
                      "timer",
                      layers_text(experiment.model, staged.stages[stage].layers),
                      word,
                      contents.tokens,
                      contents.patches,
                      {mean_over_draws(experiment, pass, stage) * factor / milliseconds(1)}});
  AnalyticCosts& costs = *on_platform(experiment.costs);
  Findings findings;
  costs.measured = measured_passes(rows, experiment.model, costs, findings);
  findings.throw_if_any();
  return experiment;
}

TEST(DrawnMeans, AreHeldAgainstTheMeanOfTheDraws) {
  const Experiment twin = twin_of_means(small_vlm(), 1);
  for (const MeasuredGroup& group :
       MeasuredLayers(*on_platform(twin.costs), twin.model, twin.pipeline).groups()) {
    EXPECT_GE(group.contents.size(), kDrawnMicrobatches);
    EXPECT_NEAR(group.roofline / group.mean(), 1, 1e-9);
  }
}

// So the roofline says how passes differ, and the means how long they are.
TEST(DrawnMeans, ScaleEveryPassOfTheRoofline) {
  const Experiment own = small_vlm();
  const double same = step_of(twin_of_means(own, 1), "first-stage") / step_of(own, "first-stage");
  EXPECT_NEAR(same, 1, 1e-9);
  const Experiment longer = twin_of_means(own, 1.3);
  const DrawCosts costs(longer), before(own);
  const ScheduleSpec& schedule = schedule_called(own, "first-stage");
  const Outline outline =
      derive_outline(own.model, schedule.schedule, schedule.cut, derive_options(own, schedule));
  for (std::uint32_t m = 0; m < own.pipeline.microbatches; ++m)
    EXPECT_NEAR(costs.of(outline, 0)->pass(Pass::Forward, StageId(0), MicrobatchId(m), ReplicaId(0)) /
                    before.of(outline, 0)->pass(Pass::Forward, StageId(0), MicrobatchId(m), ReplicaId(0)),
                1.3, 1e-9);
}

TEST(DrawnMeans, CoverTheSizesOfTheirMicrobatches) {
  const TwinAccount account = twin_account(twin_of_means(small_vlm(), 1));
  for (const CoveredLayer& layer : account.layers) EXPECT_LT(layer.fit.least.tokens, layer.fit.most.tokens);
}

TEST(DrawnMeans, SayThatTheyAre) {
  EXPECT_NE(microbatch_contents(small_vlm()).note().find("the mean of 256 drawn ones"), std::string::npos);
  const Experiment text = read_experiment(Source(kExperiments + "ascend-910b-pp2.json"), {});
  EXPECT_EQ(microbatch_contents(text).note(), "");
  EXPECT_EQ(microbatch_contents(text).tokens, "4096");
}

}  // namespace
}  // namespace spillway::testing
