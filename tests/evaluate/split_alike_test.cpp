// Checks headlines whose sides split layers by different rules: the figures for a split by one rule are
// computed.
#include <gtest/gtest.h>

#include <string>

#include "evaluate/evaluate.h"
#include "evaluate/steps.h"
#include "input/experiment/experiment.h"
#include "support/property.h"

namespace spillway {
namespace {

std::uint32_t some_of(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}

// The job has an encoder, a backbone and a head as long as several layers. A split by count is slower.
struct HeadedJob {
  std::uint32_t ranks = 4, microbatches = 8, encoder = 4, backbone = 12, head_ms = 6;

  static std::string block(const std::string& name, std::uint32_t layers, std::uint32_t ms) {
    const std::string each = std::to_string(ms);
    return R"({ "name": ")" + name + R"(", "role": ")" + (name == "enc" ? "encoder" : "backbone") +
           R"(", "layers": )" + std::to_string(layers) + R"(, "profile": { "forward_ms": )" + each +
           R"(, "input_gradient_ms": )" + each + R"(, "weight_gradient_ms": )" + each + " } }";
  }

  Experiment under(const std::string& schedules) const {
    return parse_experiment(R"({ "schema": "spillway/experiment/1", "name": "job", "pipeline": { "ranks": )" +
                                std::to_string(ranks) + R"(, "microbatches": )" +
                                std::to_string(microbatches) + R"( }, "model": { "blocks": [ )" +
                                block("enc", encoder, 1) + ", " + block("llm", backbone, 1) + ", " +
                                block("head", 1, head_ms) + R"( ] }, "schedules": [ )" + schedules + " ] }",
                            "job.json", {});
  }
};

HeadedJob random_headed_job() {
  HeadedJob job;
  job.ranks = some_of(2, 4);
  job.microbatches = some_of(1, 8);
  job.encoder = some_of(1, 4);
  job.backbone = job.ranks + some_of(0, 8);
  job.head_ms = some_of(0, 8);
  return job;
}

std::string entry_of(const HeadedJob& job, const std::string& name, bool transposed,
                     const std::string& split) {
  const std::string cut = transposed ? R"(, "cut": [)" + std::to_string(job.encoder) + "]" : "";
  return R"({ "name": ")" + name + R"(", "schedule": ")" + (transposed ? "transpose," : "") + R"(1f1b")" +
         cut + split + " }";
}

Evaluation with_references(const HeadedJob& job, const std::string& schedules) {
  return evaluate(job.under(schedules), {.run = {Engine::LongestPath}, .references = true});
}

const std::string kSplitByCost = R"(, "split": "balanced")";

RC_GTEST_PROP(SplitAlike, IsWhatTheSameScheduleTakesWithThatSplit, ()) {
  const HeadedJob job = random_headed_job();
  const Evaluation evaluation =
      with_references(job, entry_of(job, "mpipe", true, "") + ", " + entry_of(job, "plain", false, ""));
  const Evaluation by_cost = with_references(
      job, entry_of(job, "mpipe", true, kSplitByCost) + ", " + entry_of(job, "plain", false, kSplitByCost));
  RC_ASSERT(split_alike(by_cost).empty());
  for (const SplitByCost& again : evaluation.by_cost)
    RC_ASSERT(mean_makespan(again.result) == mean_makespan(by_cost.schedules[again.schedule]));
  const Headline head = headline(evaluation);
  const auto layers = [](const ScheduleResult& result) {
    std::vector<std::uint32_t> all;
    for (const Stage& stage : result.derived->stages) all.push_back(stage.layers.size());
    return all;
  };
  const std::size_t winner = head.winner - evaluation.schedules.data();
  const bool mixed = head.rival && head.rival->split != head.winner->split;
  if (mixed && head.winner->split == SplitRule::ByCount &&
      layers(*head.winner) != layers(by_cost.schedules[winner]))
    RC_ASSERT(!split_alike(evaluation).empty());
}

// Layers of interleaved regions can be split together or region by region. The rule is the other side's.
RC_GTEST_PROP(SplitAlike, TakesTheRuleOfTheOtherSide, ()) {
  HeadedJob job = random_headed_job();
  job.encoder = job.ranks + some_of(0, 3);
  const std::string rule = *rc::gen::element<std::string>("balanced", "joint");
  const auto woven = [&](const std::string& name, const std::string& split) {
    const std::string cut = split == "joint" ? "" : R"(, "cut": [)" + std::to_string(job.encoder) + "]";
    return R"({ "name": ")" + name + R"(", "schedule": "1f1b,1f1b", "split": ")" + split + '"' + cut + " }";
  };
  const Evaluation evaluation =
      with_references(job, woven("counts", "by-count") + ", " + woven("other", rule));
  for (const SplitByCost& again : evaluation.by_cost)
    RC_ASSERT(mean_makespan(again.result) == mean_makespan(evaluation.schedules[1]));
}

// A stated split is not a rule, so it stays.
TEST(SplitAlike, LeavesStatedLayersAsTheyAre) {
  const HeadedJob job;
  const Evaluation evaluation =
      with_references(job, entry_of(job, "mpipe", true, "") + ", " +
                               entry_of(job, "stage", false, R"(, "layers_per_rank": [4, 4, 4, 5])"));
  ASSERT_EQ(evaluation.by_cost.size(), 1u);
  EXPECT_EQ(evaluation.by_cost.front().schedule, 0u);
}

TEST(SplitAlike, SaysNothingWhereNoLayerMoves) {
  HeadedJob job;
  job.head_ms = 1;
  job.backbone = 11;
  const Evaluation evaluation =
      with_references(job, entry_of(job, "mpipe", true, "") + ", " + entry_of(job, "b", false, kSplitByCost));
  EXPECT_TRUE(evaluation.by_cost.empty());
}

}  // namespace
}  // namespace spillway
