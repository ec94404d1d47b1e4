// Systems that compute samples on other replicas than drew them, and systems that encode several microbatches
// at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cost/network/collectives.h"
#include "draws/regrouped_draws.h"
#include "evaluate/evaluate.h"
#include "experiment/derive_options.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/long_property.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::SystemTestJob;

std::vector<Seconds> makespans(const Experiment& experiment) {
  std::vector<Seconds> all;
  const Evaluation evaluation = evaluate(experiment, kLongestPath);
  for (const DrawResult& draw : evaluation.schedules.front().draws) all.push_back(draw.step.makespan);
  return all;
}

Experiment played(const SystemTestJob& job, const std::string& entry) {
  return job.under(R"({ "name": "s", )" + entry + " }");
}

std::string of_body(const SystemTestJob& job, const std::string& system, const std::string& more = "") {
  return R"("system": ")" + system + R"(", "body": ")" + job.body() + '"' + more;
}

// Sets one image of the same size per sample, two samples per microbatch.
Experiment with_equal_samples(const SystemTestJob& job, const std::string& entry) {
  Experiment experiment = played(job, entry);
  for (BlockProfile& block : std::get<GivenCosts>(experiment.costs).blocks) {
    if (!block.image_work) continue;
    WorkloadSpec spec = *block.image_work->workload;
    spec.patches.patches = {2000};
    spec.patches.cumulative = {1};
    spec.images_per_sample = {{1}, {1}};
    spec.text_only_share = 0;
    block.image_work->workload = std::make_shared<const WorkloadSpec>(spec);
  }
  return experiment;
}

SystemTestJob drawn_job() {
  SystemTestJob job = *testing::random_two_module_job();
  job.work.clear();
  job.draws = 2;
  return job;
}

Experiment with_outputs(Experiment experiment) {
  for (BlockProfile& block : std::get<GivenCosts>(experiment.costs).blocks) block.output = Bytes(10);
  return experiment;
}

// By hand: 2 replicas of 4 microbatches over one seam between ranks; outputs of 10 bytes cross it, and
// gradients return.
TEST(StepTraffic, IsWhatRanksPassOn) {
  const SystemTestJob job{.ranks = 2, .microbatches = 4, .replicas = 2, .encoder = 2, .backbone = 2};
  const Evaluation evaluation =
      evaluate(with_outputs(job.under(R"({ "name": "m", "system": "megatron" })")), kLongestPath);
  EXPECT_EQ(evaluation.schedules.front().first.traffic, Bytes(2 * 4 * 2 * 10));
}

// By hand: an exchange of 2 ms on the second of two ranks lengthens its 4 forwards and its 4 backwards.
TEST(MovedSamples, PayForTheExchangeInBothDirections) {
  const SystemTestJob job{.ranks = 2,
                          .microbatches = 4,
                          .replicas = 2,
                          .encoder = 1,
                          .backbone = 1,
                          .encoder_ms = 1,
                          .backbone_ms = 1,
                          .p2p_ms = 2,
                          .draws = 1};
  const auto busy = [&](const char* system) {
    const Evaluation evaluation = evaluate(
        with_equal_samples(job, R"("system": ")" + std::string(system) + R"(", "layers_per_rank": [1, 1])"),
        kLongestPath);
    return evaluation.schedules.front().draws.front().ranks[1].busy;
  };
  EXPECT_NEAR((busy("orchmllm") - busy("megatron-balanced")).value(), 4 * 2 * 2e-3, 1e-12);
}

// By hand: the first of four replicas of Qwen2-VL-72B encodes 4000 patches for the others: 1000 tokens of
// 8192 elements of two bytes, shared by the 8 devices of its rank. Each device keeps an equal part of an
// all-to-all for itself.
TEST(MovedSamples, AreExchangedAtThePlatformsSpeed) {
  const Experiment experiment = read_experiment(
      std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/qwen2-vl-72b.json", {}, Files());
  const auto& costs = std::get<AnalyticExperiment>(experiment.costs).costs;
  const ScheduleSpec& balanced = experiment.schedules[1];
  DeriveOptions options = derive_options(experiment, balanced);
  options.regrouping = {.rule = Regrouping::Rule::EachPhase};
  const Outline outline = derive_outline(experiment.model, balanced.schedule, balanced.cut, options);
  std::vector<std::vector<SeamTraffic>> traffic(4, std::vector<SeamTraffic>(128));
  traffic[0][0].sent = 4000;
  const SampleExchange exchange = sample_exchange(costs, outline, traffic, 4);
  const Bytes leaves(1000 * 8192 * 2 / 8);
  const CollectiveTime all_to_all =
      collective_time(costs.platform, CollectiveOperation::AllToAll, {DeviceId(0), 4, 8});
  for (std::uint32_t replica = 0; replica < 4; ++replica) {
    EXPECT_EQ(exchange.time[replica][0], all_to_all(leaves * (4.0 / 3)).time);
    EXPECT_EQ(exchange.time[replica][1], all_to_all(Bytes()).time);
    EXPECT_EQ(exchange.moved[replica][0], replica == 0 ? leaves : Bytes());
  }
  AnalyticCosts without_collectives = costs;
  without_collectives.what_if_inner_collective_time = 0;
  EXPECT_EQ(sample_exchange(without_collectives, outline, traffic, 4).time[0][0], Seconds());
}

// Equal samples stay. Only an exchange remains in which nothing moves; it takes a transfer's time.
SPILLWAY_LONG_PROP(MovedSamples, OfEqualSizeChangeNothingButTheExchange, 100) {
  SystemTestJob job = drawn_job();
  const auto balanced = makespans(with_equal_samples(job, of_body(job, "megatron-balanced")));
  RC_ASSERT(makespans(with_equal_samples(job, of_body(job, "entrain"))) == balanced);
  const auto exchanged = makespans(with_equal_samples(job, of_body(job, "orchmllm")));
  for (std::size_t draw = 0; draw < balanced.size(); ++draw) {
    RC_ASSERT(exchanged[draw] >= balanced[draw]);
    const double most = 2e-3 * job.p2p_ms * job.microbatches;  // all forwards and backwards of one stage
    RC_ASSERT(exchanged[draw] <= (balanced[draw] + Seconds(most)) * (1 + 1e-12));
    if (job.replicas == 1) RC_ASSERT(exchanged[draw] == balanced[draw]);
  }
}

// One replica has no other replica to share with.
SPILLWAY_LONG_PROP(OrchMllm, OfOneReplicaIsTheBalancedPipeline, 100) {
  SystemTestJob job = drawn_job();
  job.replicas = 1;
  RC_ASSERT(makespans(played(job, of_body(job, "orchmllm"))) ==
            makespans(played(job, of_body(job, "megatron-balanced"))));
}

Seconds busiest(const ScheduleResult& schedule) {
  Seconds most;
  for (const RankFigures& rank : schedule.draws.front().ranks) most = std::max(most, rank.busy);
  return most;
}

// With free transfers the exchange takes no time. Then all ranks together compute as much as before, and the
// busiest rank computes no more.
SPILLWAY_LONG_PROP(MovedSamples, AreNoMoreAndNoLessWork, 100) {
  SystemTestJob job = drawn_job();
  job.replicas = 4;
  job.p2p_ms = 0;
  const Evaluation evaluation = evaluate(
      job.under(R"({ "name": "b", )" + of_body(job, "megatron-balanced") + R"( }, { "name": "o", )" +
                of_body(job, "orchmllm") + R"( }, { "name": "e", )" + of_body(job, "entrain") + " }"),
      kLongestPath);
  const auto busy = [](const ScheduleResult& schedule) {
    Seconds all;
    for (const RankFigures& rank : schedule.draws.front().ranks) all += rank.busy;
    return all.value();
  };
  for (const std::size_t system : {1U, 2U}) {
    const double before = busy(evaluation.schedules[0]);
    RC_ASSERT(std::abs(busy(evaluation.schedules[system]) - before) <= 1e-9 * before);
  }
  RC_ASSERT(busiest(evaluation.schedules[1]) <= busiest(evaluation.schedules[0]) * (1 + 1e-12));
}

// The largest images take most of the encoder's time. Evening them out over four replicas shortens the step.
TEST(OrchMllm, GainsWhereReplicasDiffer) {
  const SystemTestJob job{.replicas = 4, .encoder_ms = 20, .draws = 4};
  const auto before = makespans(played(job, R"("system": "megatron-balanced")"));
  const auto mean = [](const std::vector<Seconds>& steps) {
    Seconds sum;
    for (const Seconds step : steps) sum += step;
    return sum.value() / static_cast<double>(steps.size());
  };
  for (const char* system : {"orchmllm", "entrain"})
    EXPECT_LT(mean(makespans(played(job, R"("system": ")" + std::string(system) + '"'))), 0.99 * mean(before))
        << system;
}

TEST(MovedSamples, ArePlannedOnEachDrawInHostTime) {
  const SystemTestJob job{.replicas = 2, .draws = 2};
  const Evaluation evaluation = evaluate(
      job.under(R"({ "name": "o", "system": "orchmllm" }, { "name": "b", "system": "megatron-balanced" })"),
      kLongestPath);
  ASSERT_TRUE(evaluation.schedules[0].simulation.plan_s);
  EXPECT_GT(*evaluation.schedules[0].simulation.plan_s, 0);
  EXPECT_FALSE(evaluation.schedules[1].simulation.plan_s);
}

std::string round_robin(const SystemTestJob& job, const std::string& more = "") {
  return of_body(job, "mpipe", R"(, "owner": "round-robin", "split": "joint")" + more);
}

RC_GTEST_PROP(Mimo, OfAMacroBatchOfOneIsWithoutOne, ()) {
  const SystemTestJob job = *testing::random_system_job();
  RC_ASSERT(makespans(played(job, of_body(job, "mimo", R"(, "macro_batch": 1)"))) ==
            makespans(played(job, round_robin(job))));
}

// An output that waits for other outputs is never earlier.
RC_GTEST_PROP(Mimo, IsNoFasterForLargerMacroBatches, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.blocking = false;  // a sender that waits for its receiver may gain by sending later
  const auto step = [&](std::uint32_t batch) {
    return makespans(played(job, of_body(job, "mimo", R"(, "macro_batch": )" + std::to_string(batch))));
  };
  const std::uint32_t own = job.microbatches / job.ranks;
  if (job.draws > 0) return;  // a batch pools its images, which evens them out
  const auto one = step(1), all = step(own);
  for (std::size_t draw = 0; draw < one.size(); ++draw) RC_ASSERT(all[draw] >= one[draw] * (1 - 1e-12));
}

// By hand, with free transfers: encodes take 1 ms, backbone passes 2 and 4 ms on each of two ranks. Rank 0
// encodes microbatches 1 and 3 before it sends either. Then the pipeline takes 4 turns and one fill. Two
// backwards of 2 ms follow the last gradient.
TEST(Mimo, EncodesAllBeforeThePipeline) {
  const SystemTestJob job{.ranks = 2,
                          .microbatches = 4,
                          .encoder = 1,
                          .backbone = 4,
                          .encoder_ms = 1,
                          .backbone_ms = 1,
                          .trained = true};
  EXPECT_NEAR(makespans(played(job, R"("system": "mimo")")).front().value(), 2e-3 + 5 * 6e-3 + 2 * 2e-3,
              1e-12);
}

// No output leaves its rank before both microbatches of its macro-batch of two are encoded.
TEST(Mimo, SendsAMacroBatchWhenAllOfItIsEncoded) {
  const SystemTestJob job{.ranks = 2, .microbatches = 4, .encoder = 1, .backbone = 4, .encoder_ms = 1};
  const Evaluation evaluation = evaluate(played(job, R"("system": "mimo", "macro_batch": 2)"), kLongestPath);
  const ScheduleResult& mimo = evaluation.schedules.front();
  for (std::uint32_t id = 0; id < mimo.derived->order.event_count(); ++id) {
    const Event& event = mimo.derived->order.event(EventId(id));
    if (event.kind != EventKind::Collective || event.comm != Comm::Gather) continue;
    EXPECT_GE(mimo.first.timeline.start.at(EventId(id), 0).value(), 2e-3 - 1e-12);
  }
}

// A rank pools images among the microbatches that it encodes: m and m + stride have one owner.
TEST(Mimo, PoolsTheMicrobatchesOfOneRank) {
  const SystemTestJob job{.ranks = 2, .microbatches = 4, .encoder = 1, .backbone = 4, .encoder_ms = 1};
  const Evaluation evaluation = evaluate(played(job, R"("system": "mimo", "macro_batch": 2)"), kLongestPath);
  const Derived& derived = *evaluation.schedules.front().derived;
  ASSERT_EQ(derived.regrouping.rule, Regrouping::Rule::Pooled);
  const OwnerMap& owner = std::get<ByMicrobatch>(derived.placement.front().owner).owner;
  const std::uint32_t stride = derived.regrouping.stride;
  for (std::uint32_t m = 0; m + stride < owner.size(); ++m) EXPECT_EQ(owner[m], owner[m + stride]);
}

// A prefetched encode runs for the next step, behind the pipeline: on rank 1 in the cool-down, on rank 0
// after its last backward.
TEST(Mimo, PrefetchesBehindThePipeline) {
  SystemTestJob job{.ranks = 2,
                    .microbatches = 4,
                    .encoder = 1,
                    .backbone = 4,
                    .encoder_ms = 1,
                    .backbone_ms = 1,
                    .trained = false};
  EXPECT_NEAR(makespans(played(job, R"("system": "mimo", "prefetch": true)")).front().value(),
              5 * 6e-3 + 2e-3, 1e-12);
  EXPECT_NEAR(makespans(played(job, R"("system": "mimo")")).front().value(), 2e-3 + 5 * 6e-3, 1e-12);
}

// Rank 0 begins with the previous step's 4 outputs of 10 bytes, each until its forward; at its peak, 2.
TEST(Mimo, HoldsPrefetchedOutputs) {
  const SystemTestJob job{.ranks = 2, .microbatches = 4, .encoder = 1, .backbone = 4, .trained = false};
  const Evaluation evaluation =
      evaluate(with_outputs(played(job, R"("system": "mimo", "prefetch": true)")), kLongestPath);
  const DrawResult& draw = evaluation.schedules.front().draws.front();
  EXPECT_EQ(draw.memory.front().parts.waiting, Bytes(2 * 10));
}

RC_GTEST_PROP(Mimo, PrefetchesForNothingWhereTheEncoderIsFree, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.trained = false;
  job.encoder_ms = job.generator > 0 ? job.encoder_ms : 0;
  if (job.generator > 0 || job.p2p_ms > 0) return;
  RC_ASSERT(makespans(played(job, of_body(job, "mimo", R"(, "prefetch": true)"))) ==
            makespans(played(job, of_body(job, "mimo"))));
}

// Encodes run P microbatches ahead. They delay the pipeline by at least one encode and at most half of all
// 16.
TEST(MegaScaleOmni, HidesHalfOfWhatItInserts) {
  const SystemTestJob job{.ranks = 4,
                          .microbatches = 16,
                          .encoder = 1,
                          .backbone = 8,
                          .encoder_ms = 1,
                          .backbone_ms = 4,
                          .trained = false};
  const double turn = 2 * 3 * 4e-3;  // a stage of two layers, forward and backward
  const double found = makespans(played(job, R"("system": "megascale-omni")")).front().value();
  EXPECT_GE(found, (16 + 3) * turn + 1e-3);
  EXPECT_LE(found, (16 + 3) * turn + 8e-3 + 1e-12);  // half of 16 encodes of 1 ms
}

RC_GTEST_PROP(MegaScaleOmni, WithAFreeEncoderIsTheBackboneAlone, ()) {
  SystemTestJob job = *testing::random_two_module_job();
  job.encoder_ms = 0;
  job.p2p_ms = 0;
  RC_ASSERT(makespans(played(job, of_body(job, "megascale-omni"))) ==
            makespans(played(job, of_body(job, "optimus"))));
}

}  // namespace
}  // namespace spillway
