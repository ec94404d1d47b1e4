// Plans use draws that no result is judged on. A spy records the draws that plans ask for.
#include "draws/planning_draws.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "evaluate/streamed_draws.h"
#include "input/experiment/experiment.h"
#include "optimize/plan.h"

namespace spillway {
namespace {

// Schedules with parts that are settled before the step.
const std::vector<std::string> kPlanned = {
    R"({"name": "x", "schedule": "transpose,1f1b", "owner": "greedy"})",
    R"({"name": "x", "schedule": "transpose,1f1b", "owner": "min-max"})",
    R"({"name": "x", "schedule": "transpose,1f1b", "owner": "makespan"})",
    R"({"name": "x", "schedule": "transpose,1f1b", "owner": "makespan", "order": "makespan"})",
    R"({"name": "x", "schedule": "transpose,zb-1p", "owner": "min-max"})",
    R"({"name": "x", "schedule": "1f1b", "split": "balanced"})"};

Experiment image_work(const std::string& schedule) {
  return read_experiment(SPILLWAY_SOURCE_DIR "/workloads/experiments/image-work.json",
                         {{"/pipeline", R"({"ranks": 4, "microbatches": 6})"},
                          {"/schedules", "[" + schedule + "]"},
                          {"/baseline", "x"}});
}

// Returns the draws that plan() asked for, with the map made from `own_draw` if there is one.
std::vector<std::uint32_t> asked_for(const Experiment& experiment, std::optional<std::uint32_t> own_draw) {
  const DrawCosts costs(experiment);
  OrderCache orders;
  plan(costs, orders, experiment.schedules.front(), own_draw);
  return costs.asked_for();
}

// A list of draws must not become one to plan on by itself.
static_assert(!std::is_convertible_v<std::vector<std::uint32_t>, PlanningDraws>);
static_assert(!std::is_constructible_v<PlanningDraws, std::vector<std::uint32_t>>);

void expect_planning_draws(const std::vector<std::uint32_t>& draws) {
  EXPECT_FALSE(draws.empty());
  for (const std::uint32_t draw : draws) EXPECT_GE(draw, PlanningDraws::kFirst);
}

TEST(PlanningDraws, AreNoneThatAResultIsJudgedOn) {
  for (const std::string& schedule : kPlanned) {
    SCOPED_TRACE(schedule);
    expect_planning_draws(asked_for(image_work(schedule), std::nullopt));
  }
}

TEST(PlanningDraws, AreNoneOfAStepThatIsStreamedEither) {
  for (const std::string owner : {"greedy", "min-max", "makespan"}) {
    SCOPED_TRACE(owner);
    const Experiment experiment =
        image_work(R"({"name": "x", "schedule": "transpose,1f1b", "owner": ")" + owner + "\"}");
    const DrawCosts costs(experiment);
    plan_stream(costs, experiment.schedules.front());
    expect_planning_draws(costs.asked_for());
  }
}

TEST(PlanningDraws, AMapOfADrawsOwnSizesIsMadeFromThatDrawAlone) {
  EXPECT_EQ(asked_for(image_work(kPlanned[2]), 3), std::vector<std::uint32_t>{3});
}

TEST(PlanningDraws, HoldOtherImages) {
  const Experiment experiment = image_work(kPlanned[0]);
  const WorkloadSpec& workload = *std::get<GivenCosts>(experiment.costs).blocks[0].image_work->workload;
  const auto sampled = [&](std::uint32_t draw) { return sample(workload, {6, 1, experiment.seed, draw}); };
  for (std::uint32_t draw = 0; draw < 8; ++draw)
    EXPECT_NE(sampled(draw), sampled(PlanningDraws::kFirst + draw));
}

}  // namespace
}  // namespace spillway
