// Groups and regrets on steps given by hand, and the jobs of cases that share a machine.
#include "evaluate/layout_groups.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/engines.h"
#include "support/temporary_folder.h"

namespace spillway {
namespace {

CaseResult timed(const std::string& name, std::size_t job, double samples, double predicted,
                 double measured) {
  CaseResult one{.measured = {.name = name, .step = Seconds(measured), .blind = {}, .memory = {}},
                 .step = Seconds(predicted),
                 .memory = {}};
  one.job = CaseJob{job, samples};
  return one;
}

TEST(LayoutGroups, TheRegretIsOfTheLayoutPredictedToBeFastest) {
  const std::vector<LayoutGroup> groups =
      layout_groups({timed("a", 0, 1, 2.0, 3.0), timed("b", 1, 1, 9, 9), timed("c", 0, 1, 1.0, 3.3),
                     timed("d", 0, 1, 4, 2.2)});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].cases, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(groups[0].layouts, 3u);
  EXPECT_EQ(groups[0].chosen, "c");
  EXPECT_EQ(groups[0].best, "d");
  EXPECT_NEAR(groups[0].regret, 0.5, 1e-12);
}

// A step of twice as many samples may take twice as long.
TEST(LayoutGroups, StepsAreComparedByTheirTimeForASample) {
  const std::vector<LayoutGroup> groups =
      layout_groups({timed("short", 0, 1, 1.0, 1.0), timed("long", 0, 4, 3.6, 3.2)});
  EXPECT_EQ(groups.at(0).chosen, "long");
  EXPECT_EQ(groups.at(0).best, "long");
  EXPECT_EQ(groups.at(0).regret, 0);
}

// Two clusters measured one layout as 1.0 and 1.2 s, the mean of which is compared. Alone it is no group.
TEST(LayoutGroups, CasesWithOnePredictionAreOneLayout) {
  const CaseResult here = timed("here", 0, 1, 0.9, 1.0), there = timed("there", 0, 1, 0.9, 1.2);
  EXPECT_TRUE(layout_groups({here, there}).empty());
  const std::vector<LayoutGroup> groups = layout_groups({here, there, timed("other", 0, 1, 2, 1.05)});
  EXPECT_EQ(groups.at(0).layouts, 2u);
  EXPECT_EQ(groups.at(0).best, "other");
  EXPECT_NEAR(groups.at(0).regret, 1.1 / 1.05 - 1, 1e-12);
}

TEST(LayoutGroups, WhatIsNotMeasuredIsNotRanked) {
  CaseResult only_predicted = timed("p", 0, 1, 1, 1);
  only_predicted.measured.step = std::nullopt;
  EXPECT_TRUE(layout_groups({only_predicted, timed("a", 0, 1, 2, 2)}).empty());
}

TEST(LayoutGroups, ARankingIsTheMeanOfItsGroups) {
  LayoutGroup right{}, wrong{};
  wrong.regret = 0.3;
  const Ranking over = ranking({right, wrong, right}).value();
  EXPECT_EQ(over.groups, 3u);
  EXPECT_NEAR(over.mean_regret, 0.1, 1e-12);
  EXPECT_NEAR(over.most_regret, 0.3, 1e-12);
  EXPECT_FALSE(ranking({}).has_value());
}

// GPT-2 on 8 A100 GPUs in the base experiment.
CaseFile layouts_of_gpt2(const std::string& cases) {
  const std::string source = SPILLWAY_SOURCE_DIR;
  const std::string path = testing::folder_of_process().file("layouts.json");
  std::ofstream(path) << R"({ "schema": "spillway/cases/1", "name": "t", "source": "s",
    "experiment": { "schema": "spillway/experiment/1", "name": "x",
      "pipeline": { "ranks": 1, "microbatches": 4, "replicas": 8 }, "parallel": { "tensor": 1 },
      "platform": ")" << source
                      << R"(/platforms/hgx-a100.json",
      "model": { "blocks": [ { "name": "llm", "architecture": ")"
                      << source << R"(/workloads/models/gpt-2/config.json" } ] },
      "workload": { "sequence_tokens": 1024, "sequences_per_microbatch": 1 },
      "schedules": [ { "name": "a", "schedule": "1f1b" } ] },
    "cases": [)" << cases
                      << "] }";
  return CaseFile(path);
}

// Only the layout may differ: ranks, tensor parallelism, microbatches, recomputation, the cut. The model, its
// precision, the length of a sequence, the machine and its devices may not.
TEST(CaseJobs, LayoutsOfOneJobHaveOneNumber) {
  const CaseFile file = layouts_of_gpt2(R"(
    { "name": "base", "set": {} },
    { "name": "pipeline", "set": { "/pipeline/ranks": 2, "/pipeline/replicas": 4, "/pipeline/microbatches": 8 } },
    { "name": "tensor", "set": { "/parallel/tensor": 4, "/pipeline/replicas": 2,
        "/workload/sequences_per_microbatch": 3, "/model/blocks/0/recompute": "full",
        "/model/blocks/0/separate_vocabulary": true } },
    { "name": "fewer", "set": { "/pipeline/replicas": 4 } },
    { "name": "longer", "set": { "/workload/sequence_tokens": 512 } },
    { "name": "larger", "set": { "/model/blocks/0/layers": 13 } },
    { "name": "adapters", "set": { "/model/blocks/0/lora_rank": 4 } },
    { "name": "memory", "set": { "/platform_set": { "/accelerator/memory_gb":
        { "value": 40, "kind": "vendor", "source": "this test" } } } })");
  const std::vector<CaseResult> cases = run_cases(file, testing::kLongestPath);
  EXPECT_EQ(cases[1].job->number, cases[0].job->number);
  EXPECT_EQ(cases[2].job->number, cases[0].job->number);
  for (std::size_t i = 3; i < cases.size(); ++i)
    EXPECT_EQ(cases[i].job->number, i - 2) << cases[i].measured.name;
  EXPECT_EQ(cases[0].job->samples, 32);
  EXPECT_EQ(cases[1].job->samples, 32);
  EXPECT_EQ(cases[2].job->samples, 24);
}

}  // namespace
}  // namespace spillway
