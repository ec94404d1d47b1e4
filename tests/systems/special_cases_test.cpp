// Schedules that systems are equivalent to, and closed forms.
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluate/evaluate.h"
#include "evaluate/steps.h"
#include "experiment/split_rule.h"
#include "memory/peak_memory.h"
#include "optimize/layer_split.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/long_property.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::SystemTestJob;

std::string named(const std::string& rest) {
  return R"({ "name": "s", )" + rest + " }";
}

std::vector<Seconds> makespans(const SystemTestJob& job, const std::string& entry) {
  std::vector<Seconds> all;
  const Evaluation evaluation = evaluate(job.under(named(entry)), kLongestPath);
  for (const DrawResult& draw : evaluation.schedules.front().draws) all.push_back(draw.step.makespan);
  return all;
}

Seconds makespan(const SystemTestJob& job, const std::string& entry) {
  return makespans(job, entry).front();
}

SPILLWAY_LONG_PROP(SystemCases, AreTheSchedulesTheyStandFor, 100) {
  const SystemTestJob job = *testing::random_system_job();
  const std::string body = R"("body": ")" + job.body() + '"', text = job.body();
  const std::string split = job.chunks > 1 ? "joint" : "balanced";
  RC_ASSERT(makespans(job, R"("system": "megatron-balanced", )" + body) ==
            makespans(job, R"("schedule": ")" + text + R"(", "split": ")" + split + '"'));
  RC_ASSERT(makespans(job, R"("system": "disttrain")") ==
            makespans(job, R"("schedule": "1f1b", "split": "disaggregated")"));
  const std::string transposed = R"("schedule": "transpose,)" + text + R"(", "split": "joint", "cut": [)" +
                                 std::to_string(job.encoder) + "]";
  RC_ASSERT(makespans(job, R"("system": "mpipe", )" + body) == makespans(job, transposed));
  if (job.chunks > 1) return;
  RC_ASSERT(makespans(job, R"("system": "megatron")") == makespans(job, R"("schedule": "1f1b")"));
  RC_ASSERT(makespans(job, R"("system": "mpipe", "split": "by-count")") ==
            makespans(job, R"("schedule": "transpose,1f1b", "cut": [)" + std::to_string(job.encoder) + "]"));
}

// The paper's stand-in for DistTrain gives the encoder one rank and balances the rest over the other ranks.
RC_GTEST_PROP(SystemCases, DistTrainWithOneRankForTheEncoderIsTheStandIn, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.generator = 0;
  std::string layers = std::to_string(job.encoder);
  const std::uint32_t others = job.ranks - 1;
  for (std::uint32_t rank = 0; rank < others; ++rank)
    layers += ", " + std::to_string(job.backbone / others + (rank < job.backbone % others ? 1 : 0));
  RC_ASSERT(makespans(job, R"("system": "disttrain", "encoder_ranks": 1)") ==
            makespans(job, R"("schedule": "1f1b", "layers_per_rank": [)" + layers + "]"));
}

// Returns T_warmup + T_steady of an allocation: a microbatch's passes, and M - 1 turns of the slowest stage.
double objective(const std::vector<Seconds>& layers, const std::vector<std::uint32_t>& stages,
                 std::uint32_t microbatches) {
  double way = 0, slowest = 0;
  std::size_t layer = 0;
  for (const std::uint32_t count : stages) {
    double stage = 0;
    for (std::uint32_t i = 0; i < count; ++i) stage += layers[layer++].value();
    way += stage;
    slowest = std::max(slowest, stage);
  }
  return way + (microbatches - 1) * slowest;
}

// Visits every way to divide `left` layers among the stages from `at` on, at least one each.
void for_each_split(std::vector<std::uint32_t>& stages, std::size_t at, std::uint32_t left,
                    const auto& visit) {
  if (at + 1 == stages.size()) {
    stages[at] = left;
    return visit(stages);
  }
  for (std::uint32_t own = 1; own + (stages.size() - at - 1) <= left; ++own) {
    stages[at] = own;
    for_each_split(stages, at + 1, left - own, visit);
  }
}

RC_GTEST_PROP(SystemCases, NoAllocationIsBetterThanDistTrains, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.draws = 0;
  job.backbone = std::min(job.backbone, 7U);
  const Experiment experiment = job.under(named(R"("system": "disttrain")"));
  const DrawCosts costs(experiment);
  const PlanningDraws draws = PlanningDraws::expected(experiment);
  const std::vector<Seconds> layers = layer_times(costs, draws);
  const ScheduleSpec planned = with_planned_stages(costs, experiment.schedules.front(), draws);
  const double found = objective(layers, planned.layers_per_rank, job.microbatches);
  std::vector<std::uint32_t> ends = {job.encoder, job.encoder + job.backbone};
  std::vector<std::uint32_t> tried(job.ranks);
  const std::uint32_t all = job.encoder + job.backbone + job.generator;
  for_each_split(tried, 0, all, [&](const std::vector<std::uint32_t>& stages) {
    std::vector<std::uint32_t> sums;
    for (const std::uint32_t count : stages) sums.push_back((sums.empty() ? 0 : sums.back()) + count);
    if (std::ranges::all_of(ends,
                            [&](std::uint32_t end) { return std::ranges::find(sums, end) != sums.end(); }))
      RC_ASSERT(found <= objective(layers, stages, job.microbatches) * (1 + 1e-9));
  });
}

// Only systems published that way count layers: the head or a generator handicaps no other system.
RC_GTEST_PROP(SystemCases, AllButTwoSplitLayersByWhatTheyTake, ()) {
  const SystemTestJob job = *testing::random_system_job();
  for (const ScheduleSpec& schedule : job.under(job.every_system()).schedules) {
    const bool counts = schedule.system == "megatron" || schedule.system == "mpipe-released";
    RC_ASSERT(is_by_cost(split_rule(schedule)) == !counts);
    const std::string said(split_sentence(split_rule(schedule)));
    RC_ASSERT(std::ranges::count(schedule.assumptions, said) == 1);
  }
}

// An encoder and a generator have a sixth of the work each. With the generator in its own stages behind the
// backbone, transposing is slower than the balanced pipeline, whatever the experiment's baseline is.
TEST(Mpipe, LosesToABalancedPipelineWhereAGeneratorIsWovenIn) {
  const SystemTestJob job{.ranks = 8,
                          .microbatches = 64,
                          .encoder = 8,
                          .backbone = 32,
                          .generator = 8,
                          .encoder_ms = 1,
                          .backbone_ms = 1};
  const Evaluation evaluation = evaluate(
      job.under(
          R"({ "name": "m", "system": "mpipe", "body": "1f1b,1f1b", "split": "by-count" }, { "name": "b", "system": "megatron-balanced" })"),
      {.run = {Engine::LongestPath}, .references = true});
  const auto step = [](const ScheduleResult& schedule) {
    return schedule.draws.front().step.makespan.value();
  };
  EXPECT_NEAR(step(evaluation.schedules[1]), 1.278, 1e-9);  // 71 turns of 18 ms
  ASSERT_TRUE(evaluation.schedules[0].beside);
  EXPECT_NEAR(step(evaluation.at(*evaluation.schedules[0].beside)) / step(evaluation.schedules[0]), 0.786,
              0.001);
}

// A system that transposes nothing is compared with the balanced pipeline of its own body; a balanced one
// with itself.
TEST(References, StandBesideSystemsThatTransposeNothing) {
  const SystemTestJob job;
  const Evaluation evaluation = evaluate(
      job.under(
          R"({ "name": "d", "system": "disttrain" }, { "name": "b", "system": "megatron-balanced" }, { "name": "p", "schedule": "1f1b" })"),
      {.run = {Engine::LongestPath}, .references = true});
  EXPECT_TRUE(evaluation.references.empty());
  for (const std::size_t schedule : {0U, 1U}) {
    ASSERT_TRUE(evaluation.schedules[schedule].beside);
    EXPECT_EQ(evaluation.at(*evaluation.schedules[schedule].beside).name, "b");
  }
  EXPECT_FALSE(evaluation.schedules[2].beside);
}

// M encodes of the same length, M / P on each rank, come first, then 1F1B. Then each rank runs its encodes
// and backwards behind its own part of the pipeline; the first rank finishes last.
TEST(EncodeFirst, TakesItsPhasesOneAfterTheOther) {
  const SystemTestJob job{
      .ranks = 4, .microbatches = 8, .encoder = 3, .backbone = 8, .encoder_ms = 1, .backbone_ms = 2};
  const double encode = 3e-3,
               stage = 4e-3;  // of a forward; a backward takes twice as long
  const double backbone = (8 + 4 - 1) * 3 * stage;
  const double backward = 3 * 2e-3;  // including the input gradient of its first layer
  const Seconds found = makespan(job, R"("system": "encode-first")");
  EXPECT_NEAR(found.value(), 2 * encode + backbone + 2 * (encode + backward), 1e-12);
}

TEST(EncodeFirst, ComputesAgainWhatItDoesNotKeep) {
  const SystemTestJob job{.ranks = 2, .microbatches = 4, .encoder = 2, .backbone = 4};
  const Evaluation evaluation =
      evaluate(job.under(R"({ "name": "kept", "system": "mpipe", "owner": "round-robin" },
                   { "name": "dropped", "system": "encode-first", "owner": "round-robin" })"),
               kLongestPath);
  const auto peak = [&](std::size_t schedule) {
    return evaluation.schedules[schedule].draws.front().memory.front().parts;
  };
  EXPECT_EQ(peak(0).transposed, Bytes(2 * 2 * 100));
  EXPECT_EQ(peak(1).transposed, Bytes(0));
  const auto busy = [&](std::size_t schedule) {
    return evaluation.schedules[schedule].draws.front().ranks.front().busy;
  };
  EXPECT_NEAR((busy(1) - busy(0)).value(), 2 * 2e-3, 1e-12);  // two encodes of two layers
}

// A frozen encoder is not recomputed, since it has no backward.
TEST(EncodeFirst, OfAFrozenEncoderIsOnlyMpipeThatWaits) {
  const SystemTestJob job{.ranks = 4, .microbatches = 8, .trained = false};
  EXPECT_GE(makespan(job, R"("system": "encode-first")"),
            makespan(job, R"("system": "mpipe", "split": "joint")"));
  EXPECT_NEAR(makespan(job, R"("system": "encode-first")").value(), 2 * 4e-3 + (8 + 4 - 1) * 3 * 8e-3, 1e-12);
}

// Kimi K2.5 reports 90 % of text-only throughput (arXiv 2602.02276, section 4.5), LongCat-Flash-Omni more
// than 90 % (arXiv 2511.00279). K2.5's published parameters give the sizes: an encoder of 0.4 B sees four
// patches for each token, all tokens from images, before 32 B active parameters: 5 % of the forward. The
// pipeline (P = 16, M = 64) is assumed, since theirs is not published. The prediction is 94.9 %, +5.4 % over
// K2.5's figure, which includes preprocessing and the distribution of images.
TEST(EncodeFirst, KeepsNineTenthsOfTextOnlyThroughput) {
  SystemTestJob job{.ranks = 16,
                    .microbatches = 64,
                    .encoder = 1,
                    .backbone = 16,
                    .encoder_ms = 0.05 * 16,
                    .backbone_ms = 1};
  const std::string entry = R"("system": "encode-first")";
  const Seconds step = makespan(job, entry);
  job.encoder_ms = 0;
  const double share = makespan(job, entry) / step;
  EXPECT_NEAR(share, 0.949, 0.0005);
  EXPECT_NEAR(share / 0.90 - 1, 0.054, 0.001);
}

// A system that moves samples, cuts microbatches or searches their order is no plain pipeline, even if it
// transposes.
TEST(Plain, IsWhatTakesMicrobatchesWholeAndAsDrawn) {
  const SystemTestJob job{.ranks = 2, .replicas = 2, .encoder = 4, .draws = 2};
  for (const char* name : {"orchmllm", "entrain", "dip"}) {
    const std::string system = R"({ "name": "s", "system": ")" + std::string(name) + R"(" })";
    const Evaluation evaluation =
        evaluate(job.under(system + R"(, { "name": "plain", "schedule": "1f1b" })"), kLongestPath);
    const ScheduleResult* plain = fastest_plain(evaluation);
    ASSERT_NE(plain, nullptr) << name;
    EXPECT_EQ(plain->name, "plain") << name;
  }
}

}  // namespace
}  // namespace spillway
