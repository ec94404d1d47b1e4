// Tests DIP: segments, parts of microbatches, and the searched order.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/evaluate.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/long_property.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::SystemTestJob;

std::vector<Seconds> steps_of(const SystemTestJob& job, const std::string& entry) {
  std::vector<Seconds> all;
  const Evaluation evaluation = evaluate(job.under(R"({ "name": "s", )" + entry + " }"), kLongestPath);
  for (const DrawResult& draw : evaluation.schedules.front().draws) all.push_back(draw.step.makespan);
  return all;
}

RC_GTEST_PROP(Dip, OfOneSegmentIsTheBalancedPipeline, ()) {
  SystemTestJob job = *testing::random_system_job();
  RC_ASSERT(steps_of(job, R"("system": "dip", "segments": [1], "sub_microbatches": 1)") ==
            steps_of(job, R"("system": "megatron-balanced")"));
}

// Returns `segments` with one segment per module.
std::string ones(const SystemTestJob& job) {
  return job.generator > 0 ? "[1, 1, 1]" : "[1, 1]";
}

// Each module has enough layers for one segment.
SystemTestJob segmented_job() {
  SystemTestJob job = *testing::random_system_job();
  job.encoder = job.ranks + *rc::gen::inRange<std::uint32_t>(0, 4);
  job.generator = job.generator > 0 ? job.ranks : 0;
  return job;
}

// The search begins with the two segments in interleaved 1F1B's order and falls back to it.
RC_GTEST_PROP(Dip, IsNoSlowerThanItsSegmentsInterleaved, ()) {
  SystemTestJob job = segmented_job();
  job.generator = 0;
  job.trained = true;  // gradients pass the stages of a frozen encoder in one region with the backbone
  std::string layers, cut = std::to_string(job.encoder);
  for (const std::uint32_t module : {job.encoder, job.backbone})
    for (std::uint32_t rank = 0; rank < job.ranks; ++rank)
      layers += (layers.empty() ? "" : ", ") +
                std::to_string(module / job.ranks + (rank < module % job.ranks ? 1 : 0));
  const auto interleaved = steps_of(
      job, R"("schedule": "1f1b,1f1b", "cut": [)" + cut + R"(], "layers_per_rank": [)" + layers + "]");
  const auto searched = steps_of(job, R"("system": "dip", "segments": [1, 1], "sub_microbatches": 1)");
  for (std::size_t draw = 0; draw < searched.size(); ++draw)
    RC_ASSERT(searched[draw] <= interleaved[draw] * (1 + 1e-9));
}

Seconds busy(const ScheduleResult& schedule) {
  Seconds all;
  for (const RankFigures& rank : schedule.draws.front().ranks) all += rank.busy;
  return all;
}

// Parts do the same work in total, every engine agrees, and no step is shorter than a rank's own work.
SPILLWAY_LONG_PROP(Dip, CutsMicrobatchesIntoPartsOfTheSameWork, 100) {
  SystemTestJob job = segmented_job();
  const Evaluation evaluation = evaluate(job.under(R"({ "name": "one", "system": "dip", "segments": )" +
                                                   ones(job) + R"(, "sub_microbatches": 1 },
                             { "name": "two", "system": "dip", "segments": )" +
                                                   ones(job) + R"(, "sub_microbatches": 2 })"),
                                         {.run = {Engine::LongestPath, Engine::MaxPlus, Engine::SimGrid}});
  const double whole = busy(evaluation.schedules[0]).value();
  RC_ASSERT(std::abs(busy(evaluation.schedules[1]).value() - whole) <= 1e-9 * whole);
  RC_ASSERT(evaluation.schedules[1].derived->pipeline.microbatches == 2 * job.microbatches);
  for (const ScheduleResult& schedule : evaluation.schedules)
    for (const DrawResult& draw : schedule.draws) {
      const Seconds longest = *draw.makespans[Engine::LongestPath];
      for (const Engine engine : {Engine::MaxPlus, Engine::SimGrid})
        RC_ASSERT(std::abs((*draw.makespans[engine] - longest).value()) <= 1e-9 * longest.value());
      for (const RankFigures& rank : draw.ranks) RC_ASSERT(rank.busy <= longest * (1 + 1e-9));
    }
}

// A head takes as long as five layers. The backbone's last stage therefore holds fewer layers, while the
// encoder's segment is split evenly.
TEST(Dip, SplitsTheLayersOfEachSegmentByWhatTheyTake) {
  const SystemTestJob job{.ranks = 2, .microbatches = 4, .encoder = 4, .backbone = 9, .generator = 1};
  std::string document = job.document(R"({ "name": "s", "system": "dip", "segments": [1, 1] })");
  const auto at = document.find(R"("gen")");
  document.replace(at, 5, R"("llm_head", "role": "backbone")");
  document.replace(document.find("1.000000", at), 8, "10.0");
  document.replace(document.find("1.000000", at), 8, "10.0");
  document.replace(document.find("1.000000", at), 8, "10.0");
  const Evaluation evaluation = evaluate(parse_experiment(document, "job.json", {}), kLongestPath);
  std::vector<std::uint32_t> layers;
  for (const Stage& stage : evaluation.schedules.front().derived->stages)
    layers.push_back(stage.layers.size());
  EXPECT_EQ(layers, (std::vector<std::uint32_t>{2, 2, 7, 3}));
}

// With parts a rank holds no more microbatches at once than without.
TEST(Dip, HoldsPartsAsTheyAre) {
  const SystemTestJob job{.ranks = 4, .microbatches = 16, .encoder = 4, .backbone = 16};
  const Evaluation evaluation = evaluate(job.under(R"({ "name": "one", "system": "dip", "segments": )" +
                                                   ones(job) + R"(, "sub_microbatches": 1 },
                             { "name": "two", "system": "dip", "segments": )" +
                                                   ones(job) + R"(, "sub_microbatches": 2 })"),
                                         kLongestPath);
  for (const ScheduleResult& schedule : evaluation.schedules) {
    const Bytes held = schedule.draws.front().memory.front().parts.activations;
    EXPECT_GE(held, Bytes(4 * 500));   // 4 microbatches, each of 1 encoder layer and 4 backbone layers
    EXPECT_LE(held, Bytes(11 * 500));  // interleaved 1F1B holds 2 (P - 1) + P + 1 in its two stages
  }
}

// The encoder's microbatches differ. In the mean of the draws the searched order is faster than the
// interleaved order of the same stages and than a pipeline split by number of layers.
TEST(Dip, GainsWhereMicrobatchesDiffer) {
  const SystemTestJob job{
      .ranks = 4, .microbatches = 16, .encoder = 8, .backbone = 16, .encoder_ms = 6, .draws = 4};
  const auto mean = [&](const std::string& entry) {
    Seconds sum;
    for (const Seconds step : steps_of(job, entry)) sum += step;
    return sum.value() / 4;
  };
  const double found = mean(R"("system": "dip", "segments": [1, 1], "sub_microbatches": 1)");
  EXPECT_LT(found, mean(R"("schedule": "1f1b,1f1b", "cut": [8])"));
  EXPECT_LT(found, mean(R"("system": "megatron")"));
}

std::vector<std::uint32_t> segments_of(const SystemTestJob& job, const std::string& more = "") {
  const Experiment experiment = job.under(R"({ "name": "s", "system": "dip")" + more + " }");
  return experiment.schedules.front().segments.of_modules;
}

// By hand: the backbone takes six times the encoder's time, then three times, then more than its layers
// allow.
TEST(Dip, ChoosesSegmentsInProportionToWhatModulesTake) {
  SystemTestJob job{.ranks = 2, .microbatches = 4, .encoder = 4, .backbone = 12};
  job.encoder_ms = 1, job.backbone_ms = 2;
  using Counts = std::vector<std::uint32_t>;
  EXPECT_EQ(segments_of(job), (Counts{1, 6}));
  job.encoder_ms = 2;
  EXPECT_EQ(segments_of(job), (Counts{1, 3}));
  job.backbone_ms = 20;
  EXPECT_EQ(segments_of(job), (Counts{1, 6}));  // twelve layers on two ranks
  EXPECT_EQ(segments_of(job, R"(, "chunks": 4)"), (Counts{1, 3}));
  job.encoder_ms = 60;
  EXPECT_EQ(segments_of(job, R"(, "chunks": 4)"), (Counts{2, 2}));
  EXPECT_EQ(segments_of(job), (Counts{1, 1}));
}

// Given durations are proportional to images, so the smallest part, one sample, is as efficient as any.
TEST(Dip, CutsMicrobatchesIntoSamplesWhereDurationsAreGiven) {
  SystemTestJob job{.ranks = 2, .microbatches = 4, .encoder = 4, .backbone = 12};
  const auto parts = [&] {
    return job.under(R"({ "name": "s", "system": "dip" })").schedules.front().segments.parts;
  };
  EXPECT_EQ(parts(), 1U);
  job.draws = 1;  // two samples per microbatch
  EXPECT_EQ(parts(), 2U);
}

// DIP takes any number of microbatches, even fewer than ranks, and the engines agree.
RC_GTEST_PROP(Dip, TakesAnyNumberOfMicrobatches, ()) {
  SystemTestJob job = segmented_job();
  job.work.clear();
  job.microbatches = *rc::gen::inRange<std::uint32_t>(1, 14);
  const std::string entry = R"({ "name": "s", "system": "dip", "segments": )" + ones(job) +
                            (*rc::gen::arbitrary<bool>() ? R"(, "sub_microbatches": 2 })" : " }");
  const Evaluation evaluation =
      evaluate(job.under(entry), {.run = {Engine::LongestPath, Engine::MaxPlus, Engine::SimGrid}});
  for (const DrawResult& draw : evaluation.schedules.front().draws) {
    const Seconds longest = *draw.makespans[Engine::LongestPath];
    for (const Engine engine : {Engine::MaxPlus, Engine::SimGrid})
      RC_ASSERT(std::abs((*draw.makespans[engine] - longest).value()) <= 1e-9 * longest.value());
    for (const RankFigures& rank : draw.ranks) RC_ASSERT(rank.busy <= longest * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace spillway
