// Checks the balanced pipelines reported beside transposed schedules: which they are, that an experiment
// that lists them gets the same, and that they change nothing else.
#include "evaluate/balanced_reference.h"

#include <gtest/gtest.h>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "support/shipped.h"
#include "support/skeletons.h"

namespace spillway {
namespace {

using testing::kExperiments;

constexpr Engines kAlone{.run = {Engine::LongestPath}};
constexpr Engines kBeside{.run = {Engine::LongestPath}, .references = true};

Experiment with_schedules(const std::string& schedules, const std::string& file = "skeletons.json") {
  return read_experiment(kExperiments + file, {{"/schedules", schedules}, {"/baseline", "mpipe"}});
}

std::string transposed(const std::string& body) {
  return R"({ "name": "mpipe", "schedule": "transpose,)" + body + R"(" })";
}

std::vector<std::string> names_of(const std::vector<ScheduleSpec>& schedules) {
  std::vector<std::string> names;
  for (const ScheduleSpec& schedule : schedules) names.push_back(schedule.name);
  return names;
}

// Each skeleton's reference equals, to the last bit, the same schedule listed in the experiment.
TEST(BalancedReference, OfEverySkeletonIsTheBalancedScheduleOfThatSkeleton) {
  for (const std::string body : testing::kPipelined) {
    const Evaluation beside = evaluate(with_schedules('[' + transposed(body) + ']'), kBeside);
    const Evaluation listed =
        evaluate(with_schedules('[' + transposed(body) + R"(, { "name": "own", "schedule": ")" + body +
                                R"(", "split": "balanced" }])"),
                 kBeside);
    ASSERT_EQ(beside.references.size(), 1u) << body;
    EXPECT_TRUE(listed.references.empty()) << body;
    EXPECT_EQ(beside.references[0].name, "balanced-" + body);
    EXPECT_EQ(beside.references[0].draws[0].step.makespan, listed.schedules[1].draws[0].step.makespan)
        << body;
    EXPECT_TRUE(beside.schedules[0].beside->added) << body;
    EXPECT_FALSE(listed.schedules[0].beside->added) << body;
    EXPECT_EQ(listed.schedules[0].beside->index, 1u) << body;
    EXPECT_FALSE(listed.schedules[1].beside) << body;
  }
}

TEST(BalancedReference, ChangesNoFigureOfTheExperiment) {
  const Experiment experiment = read_experiment(kExperiments + "image-work.json", {{"/draws", "3"}});
  const Evaluation alone = evaluate(experiment, kAlone), beside = evaluate(experiment, kBeside);
  ASSERT_EQ(alone.schedules.size(), beside.schedules.size());
  for (std::size_t i = 0; i < alone.schedules.size(); ++i)
    for (std::size_t draw = 0; draw < 3; ++draw) {
      EXPECT_EQ(alone.schedules[i].draws[draw].step.makespan, beside.schedules[i].draws[draw].step.makespan);
    }
  EXPECT_FALSE(alone.schedules.front().beside);
}

// The fit comes first, so that references are priced like the schedules.
TEST(BalancedReference, IsPricedAsFitted) {
  const std::vector<Setting> without = {{"/schedules",
                                         R"([{ "name": "mpipe", "schedule": "transpose,1f1b" },
      { "name": "megatron", "schedule": "1f1b", "layers_per_rank": [27, 5, 5, 5, 5, 4, 4, 4] }])"},
                                        {"/draws", "2"}};
  const Evaluation own =
      evaluate(read_experiment(kExperiments + "experiment-b.json", {{"/draws", "2"}}), kBeside);
  const Evaluation added = evaluate(read_experiment(kExperiments + "experiment-b.json", without), kBeside);
  ASSERT_EQ(own.schedules.size(), 3u);
  ASSERT_EQ(added.references.size(), 1u);
  for (std::size_t draw = 0; draw < 2; ++draw) {
    EXPECT_EQ(added.references[0].draws[draw].step.makespan, own.schedules[2].draws[draw].step.makespan);
  }
}

TEST(BalancedReference, OneStandsBesideAllOfTheSameBody) {
  const Experiment experiment = with_schedules('[' + transposed("1f1b") + R"(,
      { "name": "other", "schedule": "transpose,1f1b", "owner": "round-robin" },
      { "name": "woven", "schedule": "transpose,1f1b,1f1b", "cut": [1, 17] },
      { "name": "behind", "schedule": "transpose,gpipe,transpose", "cut": [1, 30] },
      { "name": "plain", "schedule": "zb-v" }])");
  const std::vector<ScheduleSpec> missing = missing_references(experiment);
  EXPECT_EQ(names_of(missing),
            (std::vector<std::string>{"balanced-1f1b", "balanced-1f1b,1f1b", "balanced-gpipe"}));
  EXPECT_EQ(missing[1].split, StageSplit::Joint);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(beside(experiment, experiment.schedules[i], missing)->index, 0u);
  for (std::size_t i = 2; i < 4; ++i)
    EXPECT_EQ(beside(experiment, experiment.schedules[i], missing)->index, i - 1);
  EXPECT_FALSE(beside(experiment, experiment.schedules[4], missing));
}

// Wave(2) needs four stages per rank, for which the model is too small.
TEST(BalancedReference, IsTheSimplestWhereTheModelIsTooSmall) {
  const Experiment experiment = read_experiment(
      kExperiments + "owners.json",
      {{"/schedules", R"([{ "name": "mpipe", "schedule": "transpose,1f1b" }])"}, {"/baseline", "mpipe"}});
  ScheduleSpec folded = experiment.schedules.front();
  folded.schedule.skeletons.back() = Skeleton(SkeletonKind::Wave, 2);
  EXPECT_EQ(balanced_beside(experiment, folded)->name, "balanced-1f1b");
}

}  // namespace
}  // namespace spillway
