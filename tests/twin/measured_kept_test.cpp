// Measured activations take the place of modelled ones.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "input/experiment/measured_rows.h"
#include "support/shipped.h"
#include "twin/trace_rows.h"
#include "twin_of_roofline.h"

namespace spillway::testing {
namespace {

const std::string kKeptJob = "ascend-910b-pp2";

Experiment read_kept(const std::vector<Setting>& settings = {}) {
  return read_experiment(Source(kExperiments + kKeptJob + ".json"), settings);
}

std::unique_ptr<CostModel> costs_of(const DrawCosts& costs, const Outline& outline) {
  return costs.of(outline, 0);
}

Outline outline_called(const Experiment& experiment) {
  const ScheduleSpec& schedule = experiment.schedules.front();
  return derive_outline(experiment.model, schedule.schedule, schedule.cut,
                        derive_options(experiment, schedule));
}

// By stage: what a microbatch keeps.
std::vector<Held> held_of(const Experiment& experiment) {
  const Outline outline = outline_called(experiment);
  const DrawCosts costs(experiment);
  const auto model = costs_of(costs, outline);
  const auto footprints = costs.footprints(outline, 0);
  std::vector<Held> all;
  for (std::uint32_t stage = 0; stage < outline.stages.size(); ++stage) {
    all.push_back(model->held(StageId(stage), MicrobatchId(0), ReplicaId(0)));
    EXPECT_EQ(all.back(), footprints->held(StageId(stage), MicrobatchId(0), ReplicaId(0)));
  }
  return all;
}

// Forwards of the experiment's stages keep `factors` times what is modelled.
Experiment with_kept(const Experiment& experiment, const std::vector<double>& factors) {
  const Outline outline = outline_called(experiment);
  const std::vector<Held> modelled = held_of(experiment);
  std::vector<MeasuredRow> rows;
  for (std::size_t stage = 0; stage < factors.size(); ++stage)
    rows.push_back({"kept.csv",
                    "line",
                    layers_text(experiment.model, outline.stages[stage].layers),
                    "forward",
                    "4096",
                    "",
                    {100},
                    {modelled[stage].activations.value() * factors[stage]}});
  Experiment measured = experiment;
  AnalyticCosts& costs = *on_platform(measured.costs);
  Findings findings;
  costs.measured = measured_passes(rows, experiment.model, costs, findings);
  findings.throw_if_any();
  return measured;
}

TEST(MeasuredKeptBytes, AreThoseOfTheirStages) {
  const Experiment own = read_kept();
  const std::vector<Held> model = held_of(own), measured = held_of(with_kept(own, {1.5, 0.5}));
  EXPECT_NEAR(measured[0].activations / model[0].activations, 1.5, 1e-9);
  EXPECT_NEAR(measured[1].activations / model[1].activations, 0.5, 1e-9);
  EXPECT_EQ(measured[0].backward_workspace, model[0].backward_workspace);
}

TEST(MeasuredKeptBytes, ServeAnotherSplitAndOtherSizes) {
  const std::vector<Setting> other = {{"/schedules/0/layers_per_rank", "[10, 18]"},
                                      {"/workload/sequence_tokens", "8192"}};
  Experiment own = read_kept(other), measured = read_kept(other);
  on_platform(measured.costs)->measured = on_platform(with_kept(read_kept(), {3, 3}).costs)->measured;
  const std::vector<Held> model = held_of(own), kept = held_of(measured);
  for (std::size_t stage = 0; stage < 2; ++stage)
    EXPECT_NEAR(kept[stage].activations / model[stage].activations, 3, 1e-6);
}

TEST(MeasuredKeptBytes, ThatAreNotMeasuredAreModelled) {
  const Experiment own = read_kept();
  Experiment measured = with_kept(own, {2, 2});
  PassTable table = *on_platform(measured.costs)->measured;
  for (MeasuredPass& pass : table.passes) pass.kept.clear();
  on_platform(measured.costs)->measured = std::make_shared<const PassTable>(table);
  EXPECT_EQ(held_of(measured), held_of(own));
}

}  // namespace
}  // namespace spillway::testing
