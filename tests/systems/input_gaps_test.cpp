// Encodes in the gaps of the pipeline.
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluate/evaluate.h"
#include "policy/plan.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::SystemTestJob;

std::string bubbles(const SystemTestJob& job) {
  return R"({ "name": "s", "system": "encode-in-bubbles", "body": ")" + job.body() + "\" }";
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

// Of a frozen encoder an eighth of a chunk long: the step is the first encode, and the backbone alone.
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

// What is planned inside, by hand: P = 2, M = 4. Rank 1 waits for the first forward for 8 ms and takes the
// third encode there, and the fourth.
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
  const std::vector<PlacedPass> second = {{0, MicrobatchId(2), false}, {0, MicrobatchId(3), false}};
  EXPECT_EQ(plan.options.placed, (std::vector<std::vector<PlacedPass>>{{}, second}));
}

// Of equal encodes, which the plan places as many of as any could.
RC_GTEST_PROP(EncodeInBubbles, NeverLoseToAllEncodesBeforeThePipeline, ()) {
  SystemTestJob job = *testing::random_system_job();
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

// Where encoding takes nothing it changes nothing.
RC_GTEST_PROP(EncodeInBubbles, OfAFreeEncoderIsTheBackboneAlone, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.encoder_ms = 0;
  job.p2p_ms = 0;
  job.generator = 0;
  const Evaluation evaluation =
      evaluate(job.under(bubbles(job) + R"(, { "name": "t", "schedule": "transpose,)" + job.body() +
                         R"(", "split": "joint", "cut": [)" + std::to_string(job.encoder) + "] }"),
               kLongestPath);
  const auto step = [&](std::size_t schedule) {
    return evaluation.schedules[schedule].draws.front().step.makespan;
  };
  RC_ASSERT(std::abs((step(0) - step(1)).value()) <= 1e-12);
}

}  // namespace
}  // namespace spillway
