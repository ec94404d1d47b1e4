// Runs whose draws come from measured microbatches.
#include <gtest/gtest.h>

#include <set>

#include "draws/fold.h"
#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"

namespace spillway {
namespace {

using testing::kLongestPath;

// On one rank a step is the sum of its passes. Forward 1 s, backward 2 s; two microbatches.
std::string one_rank(const std::string& measured, const std::string& more = "") {
  return R"({"schema": "spillway/experiment/1", "name": "x", "pipeline": {"ranks": 1, "microbatches": 2},)"
         R"("model": {"blocks": [{"name": "a", "layers": 2, "measured_work": )" +
         measured +
         R"(, "profile": {"forward_ms": 500, "input_gradient_ms": 500, "weight_gradient_ms": 500}}]},)"
         R"("network": {"p2p_ms": 7, "reduction_ms": 0}, "draws": 20,)"
         R"("schedules": [{"name": "s", "schedule": "1f1b"}])" +
         more + "}";
}

Evaluation run_text(const std::string& text, const std::vector<Setting>& settings = {}) {
  return evaluate(parse_experiment(text, "x.json", settings), kLongestPath);
}

std::set<double> makespans(const ScheduleResult& schedule) {
  std::set<double> all;
  for (const DrawResult& draw : schedule.draws) all.insert(draw.step.makespan.value());
  return all;
}

TEST(MeasuredDraws, AStepIsOneOfThoseMeasured) {
  const Evaluation evaluation = run_text(one_rank("[[[[1, 1], [1, 1]]], [[[2, 0.5], [1, 4]]]]"));
  EXPECT_EQ(makespans(evaluation.schedules[0]), (std::set<double>{6, 3 + 9}));
}

TEST(MeasuredDraws, ReplicasDrawForThemselvesAndAreNotFolded) {
  const std::string text = one_rank("[[[[1, 1], [1, 1]]], [[[2, 2], [2, 2]]]]");
  const Experiment experiment = parse_experiment(text, "x.json", {{"/pipeline/replicas", "3"}});
  EXPECT_EQ(equal_replicas(folded(experiment, Links::Own)), 1u);
  const Evaluation evaluation = evaluate(experiment, kLongestPath);
  int slowest_wins = 0, apart = 0;
  for (const DrawResult& draw : evaluation.schedules[0].draws) {
    std::set<double> busy;
    for (const RankFigures& rank : draw.ranks) busy.insert(rank.busy.value());
    EXPECT_EQ(draw.step.makespan.value(), *busy.rbegin());
    slowest_wins += *busy.rbegin() == 12;
    apart += busy.size() > 1;
  }
  EXPECT_GT(slowest_wins, 10);  // one of three is slow in 7 of 8 draws
  EXPECT_GT(apart, 5);
}

TEST(MeasuredDraws, EverySchedulesDrawIsTheSame) {
  const Evaluation evaluation =
      run_text(one_rank("[[[[1, 1], [3, 1]]], [[[2, 2], [2, 5]]]]"),
               {{"/schedules/-", R"({"name": "g", "schedule": "gpipe"})"}, {"/pipeline/microbatches", "5"}});
  ASSERT_EQ(evaluation.schedules.size(), 2u);
  EXPECT_GT(makespans(evaluation.schedules[0]).size(), 3u);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_DOUBLE_EQ(evaluation.schedules[0].draws[i].step.makespan.value(),
                     evaluation.schedules[1].draws[i].step.makespan.value());
}

TEST(MeasuredDraws, AFitSeesItsParameterInEveryDraw) {
  const std::string fit =
      R"(, "fit": [{"pointer": "/model/blocks/0/profile/forward_ms", "schedule": "s", "makespan_s": 30}])";
  const Evaluation evaluation = run_text(one_rank("[[[[1, 1], [1, 1]]], [[[2, 2], [2, 2]]]]", fit));
  double sum = 0;
  for (const DrawResult& draw : evaluation.schedules[0].draws) sum += draw.step.makespan.value();
  EXPECT_NEAR(sum / 20, 30, 1e-6);
}

}  // namespace
}  // namespace spillway
