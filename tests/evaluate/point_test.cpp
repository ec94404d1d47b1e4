// Compares evaluate_point, which prices draws as lanes of a batch, with evaluate, which takes them one at a
// time.
#include "evaluate/point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/evaluate.h"
#include "evaluate/memory_limit.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"
#include "support/long_property.h"
#include "support/random_derivation.h"
#include "support/shipped.h"

namespace spillway {
namespace {

using testing::kExperiments;
using testing::kLongestPath;
using testing::number;
using testing::random_derivation;
using testing::RandomDerivation;

ScheduleOutcome outcome_of(const ScheduleResult& schedule) {
  std::vector<StepFigures> draws;
  for (const DrawResult& draw : schedule.draws) draws.push_back(draw.step);
  ScheduleOutcome outcome = outcome_of(schedule.name, draws);
  if (const auto worst = worst_peak(schedule)) outcome.peak_memory = worst->peak.parts.total();
  if (schedule.first.evidence) outcome.evidence = schedule.first.evidence->weakest;
  return outcome;
}

PointOutcome one_at_a_time(const Experiment& experiment) {
  const Evaluation evaluation = evaluate(experiment, kLongestPath);
  PointOutcome outcome;
  outcome.baseline = evaluation.baseline;
  if (evaluation.memory_limit) outcome.memory_limit = evaluation.memory_limit->bytes;
  for (const ScheduleResult& schedule : evaluation.schedules)
    outcome.schedules.push_back(outcome_of(schedule));
  for (const DrawResult& draw : evaluation.schedules.front().draws)
    if (draw.account) outcome.accounts.push_back(*draw.account);
  outcome.microbatches = std::uint64_t{evaluation.job.layout.microbatches} * evaluation.job.layout.replicas;
  return outcome;
}

MeasuredWork measured_work(std::uint32_t replicas, std::uint32_t microbatches) {
  MeasuredWork steps(3);
  for (auto& step : steps) {
    step.resize(replicas);
    for (auto& replica : step)
      for (std::uint32_t m = 0; m < microbatches; ++m)
        replica.push_back({number(0, 30) * 0.1, number(0, 30) * 0.1});
  }
  return steps;
}

// Gives all blocks measured work or none. The measurement has the pipeline's replicas and microbatches or
// others.
void measure(GivenCosts& costs, const Pipeline& pipeline) {
  if (number(0, 2) == 0) return;
  const std::uint32_t replicas = number(0, 1) == 0 ? pipeline.replicas : 2;
  const std::uint32_t microbatches = number(0, 1) == 0 ? pipeline.microbatches : 3;
  for (BlockProfile& block : costs.blocks) block.measured_work = measured_work(replicas, microbatches);
}

// Draws an experiment that has one schedule under several owner policies and orders.
Experiment random_experiment() {
  RandomDerivation random = *random_derivation(
      {.regions = 3, .ranks = 4, .microbatches = 6, .replicas = 3, .every_skeleton = number(0, 1) == 0});
  Experiment experiment{"x",
                        {},
                        random.options.pipeline,
                        Model(random.blocks),
                        random.options.point_to_point,
                        InnerCollectives::Priced,
                        random.costs,
                        {}};
  measure(std::get<GivenCosts>(experiment.costs), experiment.pipeline);
  for (std::uint32_t i = number(1, 3); i > 0; --i) {
    ScheduleSpec schedule{"s" + std::to_string(i), random.schedule, random.cut};
    schedule.owner = kOwnerPolicies[number(0, kOwnerPolicies.size() - 1)].second;
    schedule.owner_from_draw = number(0, 1) == 0;
    schedule.layers_per_rank = random.options.layers_per_rank;
    schedule.microbatch_group = random.options.microbatch_group;
    schedule.order = kMicrobatchOrders[std::min<std::size_t>(number(0, 6), 3)].second;
    experiment.schedules.push_back(std::move(schedule));
  }
  experiment.baseline = experiment.schedules.size() - 1;
  experiment.draws = number(1, 11);
  experiment.seed = number(0, 99);
  return experiment;
}

SPILLWAY_LONG_PROP(Point, IsWhatAnEvaluationSays, 100) {
  const Experiment experiment = random_experiment();
  Caches caches;
  RC_ASSERT(evaluate_point(experiment, caches) == one_at_a_time(experiment));
  RC_ASSERT(evaluate_point(experiment, caches) == one_at_a_time(experiment));  // now from the caches
}

// A limit refuses no point: its schedules keep their figures beside their peaks.
SPILLWAY_LONG_PROP(Point, JudgesMemoryAsAnEvaluationDoes, 100) {
  Experiment experiment = random_experiment();
  const bool outputs = number(0, 1) == 0;
  for (BlockProfile& block : std::get<GivenCosts>(experiment.costs).blocks) {
    block.activation = Bytes(number(1, 9));
    if (outputs) block.output = Bytes(number(0, 9));
  }
  experiment.memory_limit = Bytes(number(1, 60));
  Caches caches;
  const PointOutcome point = evaluate_point(experiment, caches);
  RC_ASSERT(point == one_at_a_time(experiment));
  const Evaluation evaluation = evaluate(experiment, kLongestPath);
  for (std::size_t i = 0; i < point.schedules.size(); ++i)
    RC_ASSERT(fits(point.schedules[i].peak_memory, point.memory_limit) ==
              fits(evaluation, evaluation.schedules[i]));
}

struct OfFile {
  std::string name;
  std::vector<Setting> settings;

  friend std::ostream& operator<<(std::ostream& out, const OfFile& of) {
    out << of.name;
    for (const Setting& setting : of.settings) out << ' ' << setting.pointer;
    return out;
  }
};

class PointOfFile : public ::testing::TestWithParam<OfFile> {};

TEST_P(PointOfFile, IsWhatAnEvaluationSays) {
  const Experiment experiment = read_experiment(kExperiments + GetParam().name, GetParam().settings);
  Caches caches;
  EXPECT_EQ(evaluate_point(experiment, caches), one_at_a_time(experiment));
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, PointOfFile,
    ::testing::Values(
        OfFile{"small.json", {{"/pipeline/replicas", "3"}, {"/draws", "4"}}}, OfFile{"owners.json", {}},
        OfFile{"small.json",
               {{"/fit", R"([{"pointer": "/model/blocks/1/profile/forward_ms", "schedule": "baseline",
                              "makespan_s": 0.5}])"}}},
        OfFile{"experiment-a.json", {{"/draws", "9"}, {"/schedules/0/owner_from", "\"draw\""}}},
        OfFile{"reordering.json", {{"/draws", "2"}}}, OfFile{"deepseek-v3-h800.json", {}}));

TEST(Point, ReplaysEveryDraw) {
  const Experiment experiment = read_experiment(kExperiments + "small.json", {{"/draws", "2"}});
  Caches caches;
  const PointOutcome replayed = with_replays(evaluate_point(experiment, caches), experiment, caches);
  PointOutcome longest = evaluate_point(experiment, caches);
  for (std::size_t i = 0; i < longest.schedules.size(); ++i) {
    ASSERT_EQ(replayed.schedules[i].replayed.size(), 2u);
    for (const Seconds makespan : replayed.schedules[i].replayed)
      EXPECT_NEAR(makespan.value(), longest.schedules[i].makespans[0].value(), 1e-9);
    longest.schedules[i].replayed = replayed.schedules[i].replayed;
  }
  EXPECT_EQ(replayed, longest);
}

TEST(Point, AStepLongerThanAnyNumberIsRefused) {
  Experiment experiment = read_experiment(kExperiments + "small.json", {});
  std::get<GivenCosts>(experiment.costs).blocks[1].forward = Seconds(1e308);
  Caches caches;
  EXPECT_THROW(evaluate_point(experiment, caches), InputError);
}

}  // namespace
}  // namespace spillway
