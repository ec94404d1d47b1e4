// Evaluates experiments from their files and compares the figures with results that do not use the program's
// graph.
#include "evaluate/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"
#include "support/shipped.h"

namespace spillway {
namespace {

using testing::kExperiments;
using testing::kLongestPath;

Evaluation run(const std::string& name, const std::vector<Setting>& settings,
               const Engines& engines = kLongestPath) {
  return evaluate(read_experiment(kExperiments + name, settings), engines);
}

double makespan(const ScheduleResult& schedule, std::size_t draw = 0) {
  return schedule.draws[draw].step.makespan.value();
}

// Computes 1F1B by its textbook recurrence from per-stage times and one transfer time, without the program's
// code.
double one_f_one_b(const std::vector<std::vector<double>>& forward, const std::vector<double>& backward,
                   double p2p) {
  const std::size_t p = forward.size(), m = forward[0].size();
  std::vector<std::vector<double>> f(p, std::vector<double>(m, -1)), b = f;
  std::vector<double> free(p, 0);
  std::vector<std::size_t> next_f(p, 0), next_b(p, 0);
  for (std::size_t done = 0; done < 2 * p * m;) {
    for (std::size_t r = 0; r < p; ++r) {
      const std::size_t ahead = std::min(p - r - 1, m);
      const bool forward_next =
          next_f[r] < m && next_f[r] - next_b[r] <= ahead && next_f[r] < next_b[r] + ahead + 1;
      if (forward_next) {
        const std::size_t i = next_f[r];
        if (r > 0 && f[r - 1][i] < 0) continue;
        const double ready = r == 0 ? 0 : f[r - 1][i] + p2p;
        free[r] = f[r][i] = std::max(free[r], ready) + forward[r][i];
        ++next_f[r], ++done;
      } else if (next_b[r] < m) {
        const std::size_t i = next_b[r];
        const bool last = r + 1 == p;
        if (last ? f[r][i] < 0 : b[r + 1][i] < 0) continue;
        const double ready = last ? f[r][i] : b[r + 1][i] + p2p;
        free[r] = b[r][i] = std::max(free[r], ready) + backward[r];
        ++next_b[r], ++done;
      }
    }
  }
  return *std::max_element(free.begin(), free.end());
}

// In the contract's example stage 0 holds the frozen encoder and one backbone layer. Work per microbatch: 1,
// 0.5, 3.
TEST(Evaluate, BaselineOfTheSmallExperimentFollowsTheTextbookRecurrence) {
  const Evaluation small = run("small.json", {});
  const double f = 18.522e-3, b = (18.086 + 9.337) * 1e-3, e = 8e-3;
  const std::vector<std::vector<double>> forward{
      {f + e, f + e / 2, f + 3 * e}, {3 * f, 3 * f, 3 * f}, {2 * f, 2 * f, 2 * f}, {2 * f, 2 * f, 2 * f}};
  const double expected = one_f_one_b(forward, {b, 3 * b, 2 * b, 2 * b}, 0.601e-3);
  EXPECT_NEAR(makespan(small.schedules[1]), expected, 1e-9 * expected);
  EXPECT_DOUBLE_EQ(speedups_over(small.schedules[1], small.schedules[1])[0], 1);
}

// All encodes of mpipe fit rank 3's slack, so only microbatch 1's encode delays anything.
TEST(Evaluate, TransposedEncoderOfTheSmallExperimentIsExposedByItsFirstMicrobatch) {
  const ScheduleResult mpipe = run("small.json", {}).schedules[0];
  const double f = 18.522e-3, b = (18.086 + 9.337) * 1e-3, p2p = 0.601e-3;
  const std::vector<std::vector<double>> body(4, std::vector<double>(3, 2 * f));
  const double without_encoder = one_f_one_b(body, {2 * b, 2 * b, 2 * b, 2 * b}, p2p) + p2p;
  EXPECT_NEAR(makespan(mpipe), without_encoder + 8e-3, 1e-9);
  EXPECT_NEAR(mpipe.draws[0].step.spill->exposed_encoder.value(), 8e-3, 1e-12);
  EXPECT_EQ(mpipe.draws[0].step.spill->max_spill, Seconds());
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_NEAR(mpipe.draws[0].ranks[rank].spill->warm_up_slack.value(), rank * (2 * f + p2p), 1e-12) << rank;
  }
}

TEST(Evaluate, ExposedEncoderTimeIsWhatAnExperimentWithoutItSaves) {
  const Evaluation with = run("owners.json", {});
  const Evaluation without = run("owners.json", {{"/model/blocks/0/profile/forward_ms", "0"},
                                                 {"/model/blocks/0/profile/input_gradient_ms", "0"},
                                                 {"/model/blocks/0/profile/weight_gradient_ms", "0"}});
  // The round-robin owner map does not depend on the durations.
  EXPECT_NEAR(with.schedules[1].draws[0].step.spill->exposed_encoder.value(),
              makespan(with.schedules[1]) - makespan(without.schedules[1]), 1e-12);
}

TEST(Evaluate, MinMaxSpillsNoMoreThanAnyOtherOwnerMap) {
  const Evaluation owners = run("owners.json", {});
  const auto spill = [&](std::size_t i) {
    return owners.schedules[i].draws[0].step.spill->max_spill.value();
  };
  EXPECT_EQ(owners.schedules[3].owner, "min-max");
  for (std::size_t other : {1u, 2u, 4u}) EXPECT_LE(spill(3), spill(other) + 1e-12);
}

TEST(Evaluate, MakespanOwnersAreNoSlowerThanAnyOtherOwnerMap) {
  const Evaluation owners = run("owners.json", {});
  for (std::size_t other : {1u, 2u, 3u})
    EXPECT_LE(makespan(owners.schedules[4]), makespan(owners.schedules[other]));
}

// A model that is transposed as a whole feeds no pipeline, so there is no slack to plan by and no spill.
TEST(Evaluate, AModelMayBeTransposedWhole) {
  for (const std::string owner : {"round-robin", "greedy", "min-max", "makespan"}) {
    const Evaluation whole =
        run("owners.json",
            {{"/schedules", R"([{"name": "x", "schedule": "transpose", "owner": ")" + owner + "\"}]"},
             {"/baseline", "x"}});
    EXPECT_GT(makespan(whole.schedules[0]), 0) << owner;
    EXPECT_FALSE(whole.schedules[0].draws[0].step.spill.has_value()) << owner;
  }
}

TEST(Evaluate, EqualReplicasAreSimulatedOnceAndReportedEach) {
  const ScheduleResult one = run("small.json", {}).schedules[1];
  const ScheduleResult three = run("small.json", {{"/pipeline/replicas", "3"}}).schedules[1];
  EXPECT_EQ(three.equal_replicas, 3u);
  EXPECT_EQ(three.simulation.events, one.simulation.events);
  ASSERT_EQ(three.draws[0].ranks.size(), 12u);
  EXPECT_EQ(three.draws[0].ranks[11].replica, ReplicaId(2));
  // A reduction over three members takes one transfer time after the last backward.
  EXPECT_NEAR(makespan(three), makespan(one) + 0.601e-3, 1e-12);
}

// The replay's clock continues between runs, so equal draws could differ in their last bits.
TEST(Evaluate, GivenDurationsAreTheSameInEveryDraw) {
  const ScheduleResult three = run("small.json", {{"/draws", "3"}}, Engines{}).schedules[0];
  ASSERT_EQ(three.draws.size(), 3u);
  for (const DrawResult& draw : three.draws) {
    EXPECT_EQ(draw.step.makespan, three.draws[0].step.makespan);
    EXPECT_EQ(draw.ranks[0].last_end, three.draws[0].ranks[0].last_end);
  }
}

// An encoder layer holds three times a backbone layer's activations. In interleaved 1F1B rank 1 of 2 peaks
// at two encoder chunks of 3 and one backbone chunk of 3; its whole slab is 6.
TEST(Evaluate, PeakActivationsWeighByGivenBytes) {
  const Evaluation woven = run("owners.json", {{"/pipeline/ranks", "2"},
                                               {"/pipeline/microbatches", "2"},
                                               {"/model/blocks/0/work_per_microbatch", "[1, 1]"},
                                               {"/model/blocks/0/profile/activation_bytes", "3"},
                                               {"/model/blocks/1/layers", "6"},
                                               {"/schedules", R"([{"name": "w", "schedule": "1f1b,1f1b"}])"},
                                               {"/baseline", "w"}});
  EXPECT_NEAR(woven.schedules[0].peak_activations[0], 2, 1e-12);
  EXPECT_NEAR(woven.schedules[0].peak_activations[1], 1.5, 1e-12);
}

// Given bytes are the same in every draw and for every replica that runs alike. Images change the memory per
// draw.
TEST(Evaluate, MemoryIsOfEveryRankReplicaAndDraw) {
  const Evaluation small = run("small.json", {{"/pipeline/replicas", "2"}, {"/draws", "2"}});
  const DrawResult& second = small.schedules[0].draws[1];
  ASSERT_EQ(second.memory.size(), second.ranks.size());
  EXPECT_EQ(second.memory[7].replica, ReplicaId(1));
  EXPECT_EQ(second.memory[7].parts.total(), Bytes(2 * 201216000.0));
  EXPECT_FALSE(small.memory_limit.has_value());
  EXPECT_EQ(fits(small, small.schedules[0]), std::nullopt);

  const Evaluation b = run("experiment-b.json", {{"/draws", "2"}});
  EXPECT_DOUBLE_EQ(b.memory_limit->bytes.value(), 65.79e9);
  EXPECT_FALSE(b.memory_limit->stated);
  EXPECT_EQ(fits(b, b.schedules[0]), false);
  const auto& draws = b.schedules[0].draws;
  EXPECT_NE(draws[0].memory[0].parts.transposed, draws[1].memory[0].parts.transposed);
  EXPECT_EQ(draws[0].memory[0].parts.state, draws[1].memory[0].parts.state);
}

TEST(Evaluate, MemoryNeedsBytes) {
  EXPECT_TRUE(run("owners.json", {}).schedules[0].draws[0].memory.empty());
}

// Mpipe peaks at three slabs of two layers, the baseline at three slabs of three.
TEST(Evaluate, ALimitRefusesAScheduleAndNotTheRun) {
  const auto limited = [](const char* gb) {
    return run("small.json", {{"/memory", std::string(R"({"limit_gb": )") + gb + "}"}});
  };
  const Evaluation both = limited("2"), one = limited("1.5"), none = limited("1");
  EXPECT_EQ(fits(both, both.schedules[1]), true);
  EXPECT_EQ(fits(one, one.schedules[0]), true);
  EXPECT_EQ(fits(one, one.schedules[1]), false);
  EXPECT_EQ(one.schedules[1].draws[0].step.makespan, both.schedules[1].draws[0].step.makespan);
  for (const ScheduleResult& schedule : none.schedules) EXPECT_EQ(fits(none, schedule), false);
}

// Schedules are judged by the platform's memory, but none is refused.
TEST(Evaluate, ThePlatformsMemoryIsTheDefaultLimit) {
  const Evaluation b = run("experiment-b.json", {{"/draws", "1"}});
  for (const ScheduleResult& schedule : b.schedules)
    EXPECT_EQ(fits(b, schedule), schedule.name == "balanced") << schedule.name;
  const Evaluation stated = run("experiment-b.json", {{"/draws", "1"}, {"/memory", R"({"limit_gb": 90})"}});
  EXPECT_EQ(fits(stated, stated.schedules[stated.baseline]), true);
}

// No pass or transfer takes any time, so every schedule is as fast as the baseline.
TEST(Evaluate, EmptyStepsAreEquallyFast) {
  const std::string nothing = R"({"forward_ms": 0, "input_gradient_ms": 0, "weight_gradient_ms": 0})";
  const Evaluation empty = run(
      "small.json",
      {{"/model/blocks/0/profile", nothing}, {"/model/blocks/1/profile", nothing}, {"/network/p2p_ms", "0"}});
  for (const ScheduleResult& schedule : empty.schedules)
    EXPECT_EQ(speedups_over(empty.schedules[empty.baseline], schedule)[0], 1);
}

TEST(Evaluate, ReplicasWithWorkOfTheirOwnMeetAtTheReduction) {
  const std::string work = "[[1, 0.5, 3], [1, 1, 1], [3, 3, 3]]";
  const Evaluation all =
      run("small.json", {{"/pipeline/replicas", "3"}, {"/model/blocks/0/work_per_microbatch", work}});
  const Evaluation worst = run("small.json", {{"/model/blocks/0/work_per_microbatch", "[3, 3, 3]"}});
  EXPECT_EQ(all.schedules[1].equal_replicas, 1u);
  EXPECT_NEAR(makespan(all.schedules[1]), makespan(worst.schedules[1]) + 0.601e-3, 1e-12);
}

TEST(Evaluate, FitReachesItsTarget) {
  const Evaluation a = run("experiment-a.json", {{"/draws", "1"}});
  ASSERT_EQ(a.fitted.size(), 1u);
  EXPECT_NEAR(a.fitted[0].reached.value(), 16.26, 1e-6);
  EXPECT_NEAR(makespan(a.schedules[1]), 16.26, 1e-6);
}

TEST(Evaluate, FitThatNothingReachesIsInfeasible) {
  EXPECT_THROW(run("experiment-a.json", {{"/fit/0/makespan_s", "1"}}), Infeasible);
}

TEST(Evaluate, OneDrawServesAllSchedules) {
  const Evaluation a =
      run("experiment-a.json",
          {{"/draws", "3"}, {"/schedules/-", R"({"name": "other", "schedule": "transpose,gpipe"})"}});
  const auto encoded = [](const DrawResult& draw) {
    double sum = 0;
    for (const RankFigures& rank : draw.ranks) sum += rank.spill.value().encoder.value();
    return sum;
  };
  for (std::size_t draw = 0; draw < 3; ++draw) {
    const double first = encoded(a.schedules.front().draws[draw]);
    EXPECT_NEAR(first, encoded(a.schedules.back().draws[draw]), 1e-9 * first) << "draw " << draw;
  }
}

TEST(Evaluate, DrawsDoNotDependOnHowManyAreMade) {
  const std::vector<Setting> unfitted{{"/fit", "[]"}, {"/draws", "1"}};
  const double first = makespan(run("experiment-a.json", unfitted).schedules[0]);
  const double again = makespan(run("experiment-a.json", {{"/fit", "[]"}, {"/draws", "4"}}).schedules[0], 0);
  EXPECT_EQ(first, again);
}

TEST(Evaluate, KnowingTheDrawSpillsNoMoreThanExpectingIt) {
  const std::vector<Setting> settings{{"/fit", "[]"},
                                      {"/draws", "1"},
                                      {"/pipeline/replicas", "1"},
                                      {"/parallel/expert", "4"},
                                      {"/model/blocks/0/fixed_ms", "0"},
                                      {"/schedules/0/owner", "min-max"}};
  std::vector<Setting> knowing = settings;
  knowing.push_back({"/schedules/0/owner_from", "draw"});
  const DrawResult expected = run("experiment-a.json", settings).schedules[0].draws[0];
  const DrawResult known = run("experiment-a.json", knowing).schedules[0].draws[0];
  EXPECT_LE(known.step.spill->max_spill, expected.step.spill->max_spill);
}

TEST(Evaluate, ReplayOfExperimentANeverStartsEarlierThanTheLongestPath) {
  const Evaluation a = run("experiment-a.json", {{"/draws", "1"}}, Engines{});
  for (const ScheduleResult& schedule : a.schedules) {
    const DrawResult& draw = schedule.draws[0];
    EXPECT_GE(draw.makespans[Engine::SimGrid]->value(),
              draw.makespans[Engine::LongestPath]->value() * (1 - 1e-9))
        << schedule.name;
    EXPECT_LT(draw.makespans[Engine::SimGrid]->value(), draw.makespans[Engine::LongestPath]->value() * 1.05)
        << schedule.name;
  }
}

// The job has 8 replicas x 32 microbatches of one packed sequence of 8192 on 512 dies. The backbone is
// DeepSeek-V3, whose training takes 2.30e15 FLOPs per sequence if attention runs across its samples. The
// encoder, drawn anew each time, adds to it.
TEST(Evaluate, AccountsForTheWholeJob) {
  const std::string across = R"({ "schema": "spillway/framework/1", "name": "across",
    "attends_across_documents": { "value": true, "kind": "assumed", "source": "a test" } })";
  const Evaluation a = run("experiment-a.json", {{"/fit", "[]"}, {"/draws", "2"}, {"/framework", across}});
  const Evaluation within = run("experiment-a.json", {{"/fit", "[]"}, {"/draws", "2"}});
  const double backbone = 8 * 32 * 2.30e15;
  for (const ScheduleResult& schedule : a.schedules) {
    for (std::size_t draw = 0; draw < 2; ++draw) {
      const StepAccount account = schedule.draws[draw].account.value();
      EXPECT_EQ(account.tokens, 8 * 32 * 8192);
      EXPECT_EQ(account.devices, 512U);
      EXPECT_GT(account.model_flops.value(), backbone);
      EXPECT_LT(account.model_flops.value(), 1.1 * backbone);
      EXPECT_EQ(account.model_flops, a.schedules[0].draws[draw].account->model_flops);  // the same draws
      EXPECT_LT(within.schedules[0].draws[draw].account->model_flops, account.model_flops);
    }
  }
  EXPECT_NE(a.schedules[0].draws[0].account->model_flops, a.schedules[0].draws[1].account->model_flops);
  EXPECT_FALSE(a.inputs.empty());
}

TEST(Evaluate, GivenDurationsHaveNoAccountAndNoInputs) {
  const Evaluation small = run("small.json", {});
  EXPECT_FALSE(small.schedules[0].draws[0].account);
  EXPECT_TRUE(small.inputs.empty());
}

}  // namespace
}  // namespace spillway
