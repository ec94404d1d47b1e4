// Streamed steps against the same ones from orders that are held.
#include "evaluate/streamed_draws.h"

#include <gtest/gtest.h>

#include "evaluate/evaluate.h"
#include "spec/experiment/experiment.h"
#include "support/engines.h"

namespace spillway {
namespace {

using testing::kLongestPath;

const std::string kImageWork = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/image-work.json";

Experiment image_work(const std::string& ranks, const std::string& microbatches, const std::string& owner,
                      const std::string& p2p) {
  return read_experiment(
      kImageWork, {{"/pipeline/ranks", ranks},
                   {"/pipeline/microbatches", microbatches},
                   {"/pipeline/replicas", "2"},
                   {"/draws", "3"},
                   {"/network/p2p", p2p},
                   {"/schedules",
                    R"([{"name": "m", "schedule": "transpose,1f1b", "cut": [32], "owner": ")" + owner + R"("},
            {"name": "d", "schedule": "1f1b", "split": "disaggregated"}, {"name": "g", "schedule": "gpipe"}])"},
                   {"/baseline", "m"}});
}

TEST(StreamedDraws, EqualThoseOfHeldOrders) {
  for (const char* ranks : {"2", "4"})
    for (const char* owner : {"greedy", "round-robin", "makespan"})
      for (const char* p2p : {"overlapped", "blocking"}) {
        const Experiment experiment = image_work(ranks, "7", owner, p2p);
        const Evaluation held = evaluate(experiment, kLongestPath);
        const DrawCosts costs(experiment);
        for (std::size_t i = 0; i < experiment.schedules.size(); ++i) {
          ASSERT_FALSE(is_streamed(experiment, experiment.schedules[i]));
          std::vector<StepFigures> steps;
          for (const DrawResult& draw : held.schedules[i].draws) steps.push_back(draw.step);
          EXPECT_EQ(streamed_draws(costs, experiment.schedules[i], 3), steps)
              << ranks << " ranks, " << owner << ", " << p2p << ", " << experiment.schedules[i].name;
        }
      }
}

TEST(StreamedDraws, AreThoseOfManySlots) {
  const Experiment experiment = image_work("16", "40000", "greedy", "overlapped");
  for (const ScheduleSpec& schedule : experiment.schedules) EXPECT_TRUE(is_streamed(experiment, schedule));
}

TEST(StreamedDraws, RefuseWhatAStreamHasNot) {
  Experiment experiment = image_work("2", "4", "greedy", "overlapped");
  experiment.schedules[0].order = MicrobatchOrder::HeaviestFirst;
  EXPECT_THROW(streamed_draws(DrawCosts(experiment), experiment.schedules[0], 1), InputError);
}

}  // namespace
}  // namespace spillway
