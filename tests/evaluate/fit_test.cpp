// Several parameters fitted to several schedules reach all targets together.
#include <gtest/gtest.h>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"

namespace spillway {
namespace {

TEST(Fits, OfSeveralSchedulesHoldTogether) {
  const std::string owners = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/owners.json";
  const Experiment experiment = read_experiment(
      owners,
      {{"/fit",
        R"([{"pointer": "/model/blocks/0/profile/forward_ms", "schedule": "pipelined", "makespan_s": 0.9585},
                            {"pointer": "/model/blocks/1/profile/forward_ms", "schedule": "round-robin",
                             "makespan_s": 0.7935}])"}});
  const Evaluation evaluation = evaluate(experiment, {.run = {Engine::LongestPath}});
  ASSERT_EQ(evaluation.fitted.size(), 2u);
  EXPECT_NEAR(evaluation.schedules[0].draws[0].step.makespan.value(), 0.9585, 1e-8);
  EXPECT_NEAR(evaluation.schedules[1].draws[0].step.makespan.value(), 0.7935, 1e-8);
  for (const FittedParameter& fitted : evaluation.fitted)
    EXPECT_NEAR(fitted.reached.value(), fitted.target.value(), 1e-8);
}

}  // namespace
}  // namespace spillway
