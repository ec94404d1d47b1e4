// Invalid pipelines and schedules, and the exact message of each.
#include <gtest/gtest.h>

#include "bad_experiment.h"
#include "input/experiment/experiment.h"
#include "schedule/schedule.h"

namespace spillway {
namespace {

TEST(BadExperiment, HugeSizesAreRefusedBeforeAnythingIsMade) {
  EXPECT_EQ(with("\"ranks\": 2, \"microbatches\": 3", "\"ranks\": 1000000, \"microbatches\": 1000000"),
            Lines{"x.json: /pipeline: expected ranks x microbatches x replicas of at most 1000000000, found "
                  "1000000 x 1000000 x 1"});
  EXPECT_EQ(with("\"microbatches\": 3", "\"microbatches\": 10000, \"replicas\": 10000"),
            Lines{"x.json: /pipeline: expected microbatches x replicas of at most 8000000, found "
                  "2 x 10000 x 10000"});
  EXPECT_EQ(
      with("\"ranks\": 2, \"microbatches\": 3", "\"ranks\": 10000, \"microbatches\": 3, \"replicas\": 10000"),
      Lines{"x.json: /pipeline: expected ranks x replicas of at most 8000000, found "
            "10000 x 3 x 10000"});
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": 99999999999999999999"),
            Lines{"x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found 1e+20"});
}

// 1F1B after a transposed input is streamed; with split backwards the ranks' orders would have to be held.
TEST(BadExperiment, TooManyEventsOfOneSchedule) {
  const auto large = [](const std::string& schedule) {
    std::string text = kGood;
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"ranks\": 2, \"microbatches\": 3", "\"ranks\": 8, \"microbatches\": 1000000"},
             {"\"layers\": 4", "\"layers\": 8"},
             {"\"transpose,1f1b\"", '"' + schedule + '"'}})
      text.replace(text.find(from), from.size(), to);
    return text;
  };
  // The zb-h1 region has 3 P M slots, 2 (P - 1) M transfers and P reductions. The transposed region has 2 M
  // slots and 1 reduction. There are 2 M collectives at each region's end, M losses and the barrier: (24 + 14
  // + 2 + 4 + 1) M + 10.
  EXPECT_EQ(experiment_complaints(large("transpose,zb-h1")),
            Lines{"x.json: /pipeline: expected ranks x microbatches with at most 32000000 events, found 8 x "
                  "1000000, about 45000010 events"});
  EXPECT_EQ(experiment_complaints(large("transpose,1f1b")), Lines{});
}

TEST(WholeTimelines, AreHeldOfLessThanIsStreamed) {
  Experiment experiment = parse_experiment(kGood, "x.json", {});
  EXPECT_TRUE(check_whole_timelines(experiment).empty());
  experiment.pipeline = {8, 1'000'000, 1};
  EXPECT_EQ(check_whole_timelines(experiment).size(), 1U) << "its order is too large";
  experiment.pipeline = {2, 3, 2'000'000};
  EXPECT_EQ(to_string(check_whole_timelines(experiment).at(0)),
            ": /pipeline: expected at most 8000000 (ranks x microbatches x replicas), since a run keeps "
            "timelines in memory (a sweep keeps only figures), found 2 x 3 x 2000000");
}

// Both faults are at one place; two schedules that share them get each message once.
TEST(BadExperiment, MicrobatchesThatDualPipeCannotTake) {
  const Lines odd_and_few{
      "x.json: /pipeline/microbatches: expected an even number for dualpipe, half of which enter at each "
      "end, found 3",
      "x.json: /pipeline/microbatches: expected at least 4 for dualpipe, twice the 2 ranks, found 3"};
  EXPECT_EQ(with("\"transpose,1f1b\"", "\"transpose,dualpipe\""), odd_and_few);
  EXPECT_EQ(with("{ \"name\": \"a\", \"schedule\": \"transpose,1f1b\", \"cut\": [2] }",
                 "{ \"name\": \"a\", \"schedule\": \"dualpipe\" }, "
                 "{ \"name\": \"b\", \"schedule\": \"dualpipe\" }"),
            odd_and_few);
}

// 1f1b-overlap in a shipped job with experts, and what it lacks there.
TEST(BadExperiment, OverlapNeedsExpertsAndInterleavedRanks) {
  const std::string path = shipped("workloads/experiments/deepseek-v3-h800.json");
  const auto refused = [&](const std::vector<Setting>& settings) {
    return complaints([&] { parse_experiment(content_of(path), path, settings); });
  };
  const Setting woven{"/schedules/0",
                      R"({"name": "a", "schedule": "1f1b-overlap,1f1b-overlap", "cut": [31]})"};
  EXPECT_EQ(refused({woven}), Lines{});
  EXPECT_EQ(
      refused({{"/schedules/0/schedule", "1f1b-overlap"}}),
      Lines{path + ": /pipeline/ranks: expected 1 for 1f1b-overlap with one stage on a rank, since pairs "
                   "of passes in several ranks need interleaved stages "
                   "(\"1f1b-overlap,1f1b-overlap\"), found 16"});
  EXPECT_EQ(refused({woven, {"/parallel/dispatch", "all-gather"}, {"/parallel/fp8_dispatch", "false"}}),
            Lines{path + ": /schedules/0/schedule: expected \"parallel/dispatch\" per-expert or per-node, as "
                         "in Megatron-LM, for 1f1b-overlap, found all-gather"});
}

TEST(BadExperiment, CutOutOfRange) {
  EXPECT_EQ(with("[2]", "[7]"),
            Lines{"x.json: /schedules/0/cut/0: expected a layer boundary above 0 and below 6, found 7"});
  EXPECT_EQ(with("[2]", "[]"),
            Lines{"x.json: /schedules/0/cut: expected 1 interior boundaries for 2 regions, found 0"});
  EXPECT_EQ(with("[2]", "[-2]"),
            Lines{"x.json: /schedules/0/cut/0: expected a whole number of at least 0, found -2"});
}

TEST(BadExperiment, NoDefaultCut) {
  EXPECT_EQ(with("\"transpose,1f1b\", \"cut\": [2]", "\"transpose,1f1b,1f1b\""),
            Lines{"x.json: /schedules/0/cut: expected 2 layer boundaries, since 3 regions cannot be cut by "
                  "default from 2 "
                  "blocks, found nothing"});
}

TEST(BadExperiment, MixedSkeletonsInOneRun) {
  EXPECT_EQ(
      with("\"transpose,1f1b\"", "\"1f1b,gpipe\""),
      Lines{
          "x.json: /schedules/0/schedule: expected one skeleton in a run of adjacent pipelined regions "
          "(region 1 began it with 1f1b; interleaved runs of mixed skeletons have no defined meaning), found "
          "gpipe in region 2"});
}

TEST(BadExperiment, UnknownSkeleton) {
  const Violation refused = std::get<std::vector<Violation>>(parse_schedule("2f2b")).at(0);
  EXPECT_EQ(with("\"transpose,1f1b\"", "\"transpose,2f2b\""),
            Lines{"x.json: /schedules/0/schedule: expected " + refused.expected + ", found \"2f2b\""});
}

TEST(BadExperiment, LayersThatDoNotAddUp) {
  EXPECT_EQ(
      with("\"cut\": [2]", "\"cut\": [2], \"layers_per_rank\": [1, 1]"),
      Lines{"x.json: /schedules/0/layers_per_rank: expected numbers that add up to the 4 layers of region "
            "llm, found 2"});
  EXPECT_EQ(with("\"cut\": [2]", "\"cut\": [2], \"layers_per_rank\": [4, 0]"),
            Lines{"x.json: /schedules/0/layers_per_rank/1: expected a whole number of at least 1, found 0"});
}

TEST(BadExperiment, FewerLayersThanStages) {
  EXPECT_EQ(
      with("[2]", "[5]"),
      Lines{"x.json: /schedules/0/cut: expected at least 2 layers in region llm.2, one per stage, found 1"});
}

TEST(BadExperiment, ChoicesAreListed) {
  EXPECT_EQ(with("\"cut\": [2]", "\"cut\": [2], \"owner\": \"gready\""),
            Lines{"x.json: /schedules/0/owner: expected one of \"round-robin\", \"blocked\", \"greedy\", "
                  "\"min-max\", \"makespan\", found \"gready\""});
  EXPECT_EQ(with("\"cut\": [2]", "\"cut\": [2], \"order\": \"heaviest\""),
            Lines{"x.json: /schedules/0/order: expected one of \"as-sampled\", \"heaviest-first\", "
                  "\"lightest-first\", \"fill-intervals\", \"makespan\", found \"heaviest\""});
  EXPECT_EQ(with("\"network\"", "\"baseline\": \"b\", \"network\""),
            Lines{"x.json: /baseline: expected \"a\", found \"b\""});
}

TEST(BadExperiment, AFitOfNoNumber) {
  EXPECT_EQ(with("\"network\"",
                 R"("fit": [{ "pointer": "/pipeline/ranks", "schedule": "b", "makespan_s": 0 }], "network")"),
            (Lines{"x.json: /fit/0/pointer: expected the pointer of a number that can be fitted, such as "
                   "\"/network/p2p_ms\", found \"/pipeline/ranks\"",
                   "x.json: /fit/0/schedule: expected \"a\", found \"b\"",
                   "x.json: /fit/0/makespan_s: expected a number above 0, found 0"}));
}

TEST(BadExperiment, ANumberFittedTwice) {
  EXPECT_EQ(with("\"network\"",
                 R"("fit": [{ "pointer": "/network/p2p_ms", "schedule": "a", "makespan_s": 1 },
                            { "pointer": "/network/p2p_ms", "schedule": "a", "makespan_s": 2 }], "network")"),
            (Lines{"x.json: /fit/1/pointer: expected a pointer used once, found \"/network/p2p_ms\"",
                   "x.json: /fit/1/schedule: expected a schedule used once, found \"a\""}));
}

}  // namespace
}  // namespace spillway
