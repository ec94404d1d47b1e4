// Systems that place encodes in the gaps of the pipeline.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "evaluate/evaluate.h"
#include "evaluate/steps.h"
#include "optimize/plan.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/long_property.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::SystemTestJob;

std::string bubbles(const SystemTestJob& job, const std::string& system = "encode-in-bubbles") {
  return R"({ "name": "s", "system": ")" + system + R"(", "body": ")" + job.body() + "\" }";
}

PlannedSchedule planned(const SystemTestJob& job) {
  OrderCache orders;
  const Experiment experiment = job.under(bubbles(job));
  return plan(DrawCosts(experiment), orders, experiment.schedules.front());
}

double makespan(const SystemTestJob& job) {
  return evaluate(job.under(bubbles(job)), kLongestPath)
      .schedules.front()
      .draws.front()
      .step.makespan.value();
}

struct PipelineShape {
  std::uint32_t ranks, chunks;
};

// A frozen encoder takes an eighth of a chunk: the step is the first encode plus the backbone alone.
TEST(EncodeInBubbles, HidesAllBehindTheFirst) {
  for (const auto& [ranks, chunks] : {PipelineShape{2, 4}, PipelineShape{4, 2}, PipelineShape{8, 4}})
    for (const std::uint32_t rounds : {2U, 4U}) {
      SystemTestJob job{.ranks = ranks,
                        .microbatches = rounds * ranks,
                        .chunks = chunks,
                        .encoder = 1,
                        .backbone = ranks * chunks,
                        .encoder_ms = 0.25,
                        .backbone_ms = 2,
                        .trained = false};
      const double all = makespan(job);
      job.encoder_ms = 0;
      EXPECT_NEAR(all, makespan(job) + 0.25e-3, 1e-12)
          << ranks << " ranks, " << chunks << " chunks, " << rounds;
    }
}

// By hand: P = 2, M = 4, forwards of 8 ms. The pipeline begins after the first encode of 4 ms; rank 1 waits 8
// ms more and runs three encodes.
TEST(EncodeInBubbles, ArePlacedWhereARankWaits) {
  const SystemTestJob job{.ranks = 2,
                          .microbatches = 4,
                          .encoder = 1,
                          .backbone = 8,
                          .encoder_ms = 4,
                          .backbone_ms = 2,
                          .trained = false};
  const PlannedSchedule plan = planned(job);
  EXPECT_EQ(plan.options.owners.front(), (OwnerMap{RankId(0), RankId(1), RankId(1), RankId(1)}));
  const auto before_body = [](std::uint32_t m) { return PlacedPass{0, MicrobatchId(m), false}; };
  EXPECT_EQ(plan.options.placed, (std::vector<std::vector<PlacedPass>>{
                                     {before_body(0)}, {before_body(1), before_body(2), before_body(3)}}));
}

// All encodes are equal, so the plan places as many of them as any plan could.
RC_GTEST_PROP(EncodeInBubbles, NeverLoseToAllEncodesBeforeThePipeline, ()) {
  SystemTestJob job = *testing::random_two_module_job();
  job.draws = 0;
  job.work.clear();
  job.blocking = false;
  job.trained = false;
  job.replicas = 1;
  const Evaluation evaluation = evaluate(
      job.under(bubbles(job) +
                R"(, { "name": "first", "system": "encode-first", "owner": "round-robin", "body": ")" +
                job.body() + "\" }"),
      kLongestPath);
  const auto step = [&](std::size_t schedule) {
    return evaluation.schedules[schedule].draws.front().step.makespan;
  };
  RC_ASSERT(step(0) <= step(1) * (1 + 1e-9));
}

// An encoder that takes no time changes nothing.
SPILLWAY_LONG_PROP(EncodeInBubbles, OfAFreeEncoderIsTheBackboneAlone, 100) {
  SystemTestJob job = *testing::random_system_job();
  job.encoder_ms = 0;
  job.p2p_ms = 0;
  job.generator = 0;
  const std::string plain = R"({ "name": "t", "schedule": "transpose,)" + job.body() +
                            R"(", "split": "joint", "cut": [)" + std::to_string(job.encoder) + "] }";
  for (const std::string system : {"encode-in-bubbles", "optimus"}) {
    const Evaluation evaluation = evaluate(job.under(bubbles(job, system) + ", " + plain), kLongestPath);
    const auto step = [&](std::size_t schedule) {
      return evaluation.schedules[schedule].draws.front().step.makespan;
    };
    RC_ASSERT(std::abs((step(0) - step(1)).value()) <= 1e-12);
  }
}

// Single layers of 1.5 ms fit where a whole encode of 6 ms does not: the plan places some of them, and the
// step is no longer than with whole encodes.
TEST(Optimus, PlacesLayersWhereNoEncodeFits) {
  const SystemTestJob job{.ranks = 2,
                          .microbatches = 4,
                          .encoder = 4,
                          .backbone = 4,
                          .encoder_ms = 1.5,
                          .backbone_ms = 2,
                          .trained = false};
  OrderCache orders;
  const Experiment experiment = job.under(bubbles(job, "optimus"));
  const PlannedSchedule plan = spillway::plan(DrawCosts(experiment), orders, experiment.schedules.front());
  EXPECT_EQ(plan.derived().stages.front().chunks, 4u);
  std::size_t inside = 0;
  for (const auto& placed : plan.options.placed) inside += placed.size();
  EXPECT_GT(inside, 0u);
  EXPECT_LE(evaluate(experiment, kLongestPath).schedules.front().draws.front().step.makespan.value(),
            makespan(job));
}

// Returns a job whose passes communicate: a small vision-language model on two nodes, tensor-parallel.
Experiment communicating(const std::string& schedules) {
  return read_experiment(std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/qwen2-vl-72b.json",
                         {{"/pipeline", R"({ "ranks": 4, "microbatches": 8 })"},
                          {"/draws", "2"},
                          {"/schedules", "[" + schedules + "]"},
                          {"/baseline", "s"}});
}

// On every draw a pass hides no more than it communicates, and some work is hidden.
TEST(Optimus, HidesNoMoreThanPassesCommunicate) {
  const Experiment experiment = communicating(R"({ "name": "s", "system": "optimus" })");
  const DrawCosts costs(experiment);
  OrderCache orders;
  const PlannedSchedule planned = spillway::plan(costs, orders, experiment.schedules.front());
  const Derived& derived = planned.derived();
  ASSERT_FALSE(derived.hidden.empty());
  Outline bare = derived;
  bare.hidden.clear();
  for (const std::uint32_t draw : {0U, 1U}) {
    const auto with = costs.of(derived, draw), without = costs.of(bare, draw);
    std::map<std::tuple<EventKind, std::uint32_t, std::uint32_t>, Seconds> hidden;
    for (const HiddenPass& pass : derived.hidden) {
      const Pass direction = pass.backward ? Pass::Backward : Pass::Forward;
      const Seconds alone = without->pass(direction, pass.stage, pass.microbatch, ReplicaId(0)),
                    left = with->pass(direction, pass.stage, pass.microbatch, ReplicaId(0));
      EXPECT_GE(left, Seconds());
      EXPECT_LE(left, alone);
      const auto host = std::tuple(pass.host.kind, pass.host.stage.index(), pass.host.microbatch.index());
      hidden[host] += alone - left;
      EXPECT_LE(hidden[host].value(), without->inside(pass.host, ReplicaId(0)).collectives.value() + 1e-12);
    }
  }
}

TEST(Optimus, GainsByWhatItHidesUnderCommunication) {
  const Experiment experiment = communicating(
      R"({ "name": "s", "system": "optimus" }, { "name": "t", "system": "encode-in-bubbles" })");
  const Evaluation evaluation = evaluate(experiment, kLongestPath);
  const auto step = [&](std::size_t schedule) { return mean_makespan(evaluation.schedules[schedule]); };
  EXPECT_LT(step(0), step(1));
}

}  // namespace
}  // namespace spillway
