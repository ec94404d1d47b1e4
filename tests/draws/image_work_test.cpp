// Runs of given durations whose work is drawn from images.
#include <gtest/gtest.h>

#include <algorithm>

#include "derive/derive.h"
#include "draws/costs.h"
#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "optimize/plan.h"
#include "support/engines.h"

namespace spillway {
namespace {

using testing::kLongestPath;

const std::string kExperiment = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/image-work.json";

// On one rank without transfers a step is the sum of its passes.
Evaluation on_one_rank(std::uint32_t microbatches, std::vector<Setting> settings = {}) {
  settings.insert(settings.end(), {{"/pipeline/ranks", "1"},
                                   {"/pipeline/microbatches", std::to_string(microbatches)},
                                   {"/schedules", R"([{"name": "s", "schedule": "1f1b"}])"},
                                   {"/baseline", "s"}});
  return evaluate(read_experiment(kExperiment, settings), kLongestPath);
}

TEST(ImageWork, AStepIsItsPatchesAndTheBackbone) {
  const Experiment experiment = read_experiment(kExperiment, {});
  const auto& images = *std::get<GivenCosts>(experiment.costs).blocks[0].image_work;
  const Evaluation evaluation = on_one_rank(5);
  for (std::uint32_t draw = 0; draw < 16; ++draw) {
    double patches = 0;
    const Draw loads = sample(*images.workload, {5, 1, experiment.seed, draw});
    for (const MicrobatchLoad& load : loads[0])
      for (const MediaItem& image : load.media) patches += image.patches;
    const double expected = 3 * 32 * 0.25e-3 * patches / 5198 + 5 * 3 * 64 * 1.375e-3;
    EXPECT_NEAR(evaluation.schedules[0].draws[draw].step.makespan.value(), expected, 1e-12);
  }
}

TEST(ImageWork, WorksForThePublishedLayoutAndRunsOnTheSameImages) {
  const Evaluation evaluation = evaluate(read_experiment(kExperiment, {{"/draws", "3"}}), kLongestPath);
  ASSERT_EQ(evaluation.schedules.size(), 4u);
  const EncoderTimes first = *evaluation.schedules[0].encoder;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    EXPECT_EQ(schedule.encoder.has_value(), schedule.draws[0].step.spill.has_value());
    if (schedule.encoder) {
      EXPECT_NEAR(schedule.encoder->least.value(), first.least.value(), 1e-9);
      EXPECT_NEAR(schedule.encoder->mean.value(), first.mean.value(), 1e-9);
      EXPECT_NEAR(schedule.encoder->most.value(), first.most.value(), 1e-9);
    }
    EXPECT_NE(schedule.draws[0].step.makespan, schedule.draws[1].step.makespan);
  }
}

// Prices are the same by any route: from samples made for the experiment, or left by larger points.
TEST(DrawCosts, PriceAlikeFromASharedCache) {
  SampleCache samples;
  const std::string folder = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/";
  for (const char* file : {"image-work.json", "experiment-a.json"}) {
    for (const char* microbatches : {"32", "16", "24"}) {
      const Experiment experiment =
          read_experiment(folder + file, {{"/pipeline/microbatches", microbatches}});
      const DrawCosts alone(experiment), shared(experiment, &samples);
      OrderCache orders;
      const PlannedSchedule planned = plan(alone, orders, experiment.schedules[0]);
      const Derived& derived = planned.derived();
      for (std::uint32_t draw = 0; draw < 2; ++draw) {
        const Prices expected = price(derived, *alone.of(derived, draw));
        const Prices found = price(derived, *shared.of(derived, draw));
        EXPECT_TRUE(std::ranges::equal(found.durations.flat(), expected.durations.flat())) << file;
        EXPECT_TRUE(std::ranges::equal(found.payload.flat(), expected.payload.flat())) << file;
      }
    }
  }
}

}  // namespace
}  // namespace spillway
