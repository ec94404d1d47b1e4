// Compares streamed steps with the same steps from orders that are held.
#include "evaluate/streamed_draws.h"

#include <gtest/gtest.h>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
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

template <class Draw>
std::vector<StepFigures> steps(const std::vector<Draw>& draws) {
  std::vector<StepFigures> steps;
  for (const Draw& draw : draws) steps.push_back(draw.step);
  return steps;
}

template <class Draw>
std::vector<Seconds> engine_makespans(const std::vector<Draw>& draws) {
  std::vector<Seconds> makespans;
  for (const Draw& draw : draws)
    for (const Engine engine : {Engine::LongestPath, Engine::SimGrid})
      makespans.push_back(draw.makespans[engine].value());
  return makespans;
}

// Returns the schedule's first three draws.
std::vector<StreamedDraw> streamed(const DrawCosts& costs, const ScheduleSpec& schedule,
                                   std::span<const StartedEngine> engines = {}) {
  const PlannedStream planned = plan_stream(costs, schedule);
  std::vector<StreamedDraw> draws;
  for (std::uint32_t draw = 0; draw < 3; ++draw)
    draws.push_back(streamed_draw(planned.order, costs, draw, engines));
  return draws;
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
          EXPECT_EQ(steps(streamed(costs, experiment.schedules[i])), steps(held.schedules[i].draws))
              << ranks << " ranks, " << owner << ", " << p2p << ", " << experiment.schedules[i].name;
        }
      }
}

TEST(StreamedDraws, AreReplayedLikeHeldOrders) {
  const Engines both{.run = {Engine::LongestPath, Engine::SimGrid}};
  for (const char* ranks : {"2", "4"})
    for (const char* p2p : {"overlapped", "blocking"}) {
      Experiment experiment = image_work(ranks, "7", "greedy", p2p);
      experiment.pipeline.replicas = 1;
      const DrawCosts costs(experiment);
      std::vector<std::vector<StreamedDraw>> all;
      {
        const std::vector<StartedEngine> engines = start(both.run, experiment);
        for (const ScheduleSpec& schedule : experiment.schedules)
          all.push_back(streamed(costs, schedule, engines));
      }
      const Evaluation held = evaluate(experiment, both);
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(steps(all[i]), steps(held.schedules[i].draws)) << ranks << " ranks, " << p2p;
        EXPECT_EQ(engine_makespans(all[i]), engine_makespans(held.schedules[i].draws));
      }
    }
}

TEST(StreamedDraws, AreTakenForFiguresAlone) {
  Experiment experiment = image_work("16", "40000", "greedy", "overlapped");
  const ScheduleSpec schedule = experiment.schedules.front();
  const Engines figures{.run = {Engine::LongestPath, Engine::SimGrid}, .figures_only = true};
  EXPECT_FALSE(is_streamed(experiment, schedule, figures)) << "replicas that differ are replayed together";
  EXPECT_TRUE(is_streamed(experiment, schedule, {.run = {Engine::LongestPath}, .figures_only = true}));
  experiment.pipeline.replicas = 1;
  EXPECT_TRUE(is_streamed(experiment, schedule, figures));
  EXPECT_FALSE(is_streamed(experiment, schedule, {})) << "its timelines are asked for";
  EXPECT_FALSE(is_streamed(experiment, schedule, {.run = {Engine::MaxPlus}, .figures_only = true}));
  experiment.schedules.back().system = "optimus";
  EXPECT_FALSE(is_streamed(experiment, schedule, figures)) << "its traffic is told";
}

TEST(StreamedDraws, AreThoseOfManySlots) {
  const Experiment experiment = image_work("16", "40000", "greedy", "overlapped");
  for (const ScheduleSpec& schedule : experiment.schedules) EXPECT_TRUE(is_streamed(experiment, schedule));
}

TEST(StreamedDraws, RefuseWhatAStreamHasNot) {
  Experiment experiment = image_work("2", "4", "greedy", "overlapped");
  experiment.schedules[0].order = MicrobatchOrder::HeaviestFirst;
  EXPECT_THROW(plan_stream(DrawCosts(experiment), experiment.schedules[0]), InputError);
}

}  // namespace
}  // namespace spillway
