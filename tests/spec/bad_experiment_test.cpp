// Every kind of bad input, and the exact message it makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "spec/experiment/experiment.h"
#include "written.h"

namespace spillway {
namespace {

using Lines = std::vector<std::string>;

const std::string kGood = R"({
  "schema": "spillway/experiment/1", "name": "x",
  "pipeline": { "ranks": 2, "microbatches": 3 },
  "model": { "blocks": [
    { "name": "enc", "layers": 2, "trainable": false,
      "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } },
    { "name": "llm", "layers": 4,
      "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
  "network": { "p2p_ms": 0.5 },
  "schedules": [ { "name": "a", "schedule": "transpose,1f1b", "cut": [2] } ]
})";

// kGood with one part of its text replaced.
Lines with(const std::string& part, const std::string& replacement) {
  std::string text = kGood;
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return experiment_complaints(text.replace(at, part.size(), replacement));
}

TEST(BadExperiment, TheGoodOneIsGood) {
  EXPECT_EQ(experiment_complaints(kGood), Lines{});
}

TEST(BadExperiment, UnknownKey) {
  EXPECT_EQ(with("\"ranks\"", "\"rank\""),
            (Lines{"x.json: /pipeline/rank: expected a known key, such as \"ranks\", found \"rank\"",
                   "x.json: /pipeline/ranks: expected a value, found nothing"}));
}

TEST(BadExperiment, KeyOfTheOtherForm) {
  EXPECT_EQ(with("\"network\"", "\"parallel\": {}, \"network\""),
            Lines{"x.json: /parallel: expected no such key where blocks have profiles, found an object"});
}

TEST(BadExperiment, DuplicateKey) {
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": 2, \"ranks\": 4, \"ranks\": 8"),
            Lines{"x.json: /pipeline/ranks: expected this key once, found it more than once"});
}

TEST(BadExperiment, DuplicateNames) {
  EXPECT_EQ(with("\"name\": \"llm\"", "\"name\": \"enc\""),
            Lines{"x.json: /model/blocks/1/name: expected a name used once, found \"enc\""});
  EXPECT_EQ(with("\"cut\": [2] }", "\"cut\": [2] }, { \"name\": \"a\", \"schedule\": \"1f1b\" }"),
            Lines{"x.json: /schedules/1/name: expected a name used once, found \"a\""});
}

TEST(BadExperiment, WrongType) {
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": \"two\""),
            Lines{"x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found \"two\""});
  EXPECT_EQ(with("{ \"p2p_ms\": 0.5 }", "[]"),
            Lines{"x.json: /network: expected an object, found an empty list"});
  EXPECT_EQ(with("\"trainable\": false", "\"trainable\": 0"),
            Lines{"x.json: /model/blocks/0/trainable: expected true or false, found 0"});
}

TEST(BadExperiment, NotWhole) {
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": 2.5"),
            Lines{"x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found 2.5"});
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": -1"),
            Lines{"x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found -1"});
}

TEST(BadExperiment, NegativeDuration) {
  EXPECT_EQ(with("\"forward_ms\": 1", "\"forward_ms\": -0.5"),
            Lines{"x.json: /model/blocks/0/profile/forward_ms: expected a number of at least 0, found -0.5"});
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": -1"),
            Lines{"x.json: /network/p2p_ms: expected a number of at least 0, found -1"});
}

TEST(BadExperiment, NegativeBytes) {
  for (const std::string key : {"activation_bytes", "parameter_bytes", "gradient_bytes", "optimizer_bytes"})
    EXPECT_EQ(
        with("\"forward_ms\": 1", "\"forward_ms\": 1, \"" + key + "\": -1"),
        Lines{"x.json: /model/blocks/0/profile/" + key + ": expected a number of at least 0, found -1"});
}

TEST(BadExperiment, MemoryLimit) {
  const auto limited = [](const std::string& memory) {
    return with("\"network\"", "\"memory\": " + memory + ", \"network\"");
  };
  const std::string unstated =
      "x.json: /memory: expected activation_bytes in the profile of every block that runs a backward, to "
      "hold a "
      "limit against, found an object";
  EXPECT_EQ(limited("{ \"limit_gb\": 1 }"), Lines{unstated});
  EXPECT_EQ(limited("{ \"limit_gb\": 0 }"),
            (Lines{"x.json: /memory/limit_gb: expected a number above 0, found 0", unstated}));
  EXPECT_EQ(limited("{}"), (Lines{"x.json: /memory/limit_gb: expected a value, found nothing", unstated}));
  EXPECT_EQ(limited("{ \"limit\": 1, \"limit_gb\": 1 }"),
            (Lines{"x.json: /memory/limit: expected a known key, such as \"limit_gb\", found \"limit\"",
                   unstated}));
  EXPECT_EQ(limited("64").front(), "x.json: /memory: expected an object, found 64");
}

// A frozen block at the input keeps nothing for a backward, so it need not say how much.
TEST(BadExperiment, MemoryLimitWithBytesIsGood) {
  std::string text = kGood;
  text.replace(text.find("\"network\""), 9, "\"memory\": { \"limit_gb\": 1 }, \"network\"");
  const std::size_t last = text.rfind("\"forward_ms\": 1");
  EXPECT_EQ(experiment_complaints(text.replace(last, 0, "\"activation_bytes\": 5, ")), Lines{});
}

TEST(BadExperiment, NoNumberAtAll) {
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": NaN"),
            Lines{"x.json: line 9, column 26: expected valid JSON, found \"NaN },\""});
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": \"NaN\""),
            Lines{"x.json: /network/p2p_ms: expected a number of at least 0, found \"NaN\""});
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": 1e999"),
            Lines{"x.json: line 9, column 26: expected a number that a double can hold, found 1e999"});
}

TEST(BadExperiment, NothingToDo) {
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": 0"),
            Lines{"x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found 0"});
  EXPECT_EQ(with("\"microbatches\": 3", "\"microbatches\": 0"),
            Lines{"x.json: /pipeline/microbatches: expected a whole number from 1 to 1000000, found 0"});
}

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

// 1F1B behind a transposed input streams; with split backwards its ranks' orders would have to be held.
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
  // The zb-h1 region: 3 P M slots and 2 (P - 1) M transfers, P reductions; the transposed one: 2 M slots, 1
  // reduction; 2 M collectives at each region's end, M losses, the barrier: (24 + 14 + 2 + 4 + 1) M + 10.
  EXPECT_EQ(
      experiment_complaints(large("transpose,zb-h1")),
      Lines{"x.json: /pipeline: expected ranks x microbatches that make at most 32000000 events, found 8 x "
            "1000000, about 45000010 events"});
  EXPECT_EQ(experiment_complaints(large("transpose,1f1b")), Lines{});
}

TEST(WholeTimelines, AreHeldOfLessThanIsStreamed) {
  Experiment experiment = parse_experiment(kGood, "x.json", {});
  EXPECT_TRUE(check_whole_timelines(experiment).empty());
  experiment.pipeline = {8, 1'000'000, 1};
  EXPECT_EQ(check_whole_timelines(experiment).size(), 1U) << "its order is too large";
  experiment.pipeline = {2, 3, 2'000'000};
  EXPECT_EQ(
      to_string(check_whole_timelines(experiment).at(0)),
      ": /pipeline: expected ranks x microbatches x replicas of at most 8000000, whose timelines are held "
      "(a sweep keeps figures alone), found 2 x 3 x 2000000");
}

// Both at one place, and once for two schedules.
TEST(BadExperiment, MicrobatchesThatDualPipeCannotTake) {
  const Lines odd_and_few{
      "x.json: /pipeline/microbatches: expected an even number for dualpipe, half of which enter at each "
      "end, "
      "found 3",
      "x.json: /pipeline/microbatches: expected at least 4 for dualpipe, twice the 2 ranks, found 3"};
  EXPECT_EQ(with("\"transpose,1f1b\"", "\"transpose,dualpipe\""), odd_and_few);
  EXPECT_EQ(with("{ \"name\": \"a\", \"schedule\": \"transpose,1f1b\", \"cut\": [2] }",
                 "{ \"name\": \"a\", \"schedule\": \"dualpipe\" }, "
                 "{ \"name\": \"b\", \"schedule\": \"dualpipe\" }"),
            odd_and_few);
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
  EXPECT_EQ(
      with("\"transpose,1f1b\", \"cut\": [2]", "\"transpose,1f1b,1f1b\""),
      Lines{"x.json: /schedules/0/cut: expected 2 layer boundaries, since 3 regions do not follow from 2 "
            "blocks, found nothing"});
}

TEST(BadExperiment, MixedSkeletonsInOneRun) {
  EXPECT_EQ(
      with("\"transpose,1f1b\"", "\"1f1b,gpipe\""),
      Lines{"x.json: /schedules/0/schedule: expected one skeleton in a run of adjacent pipelined regions "
            "(region 1 began it with 1f1b; woven runs of mixed skeletons have no defined meaning), found "
            "gpipe in region 2"});
}

TEST(BadExperiment, UnknownSkeleton) {
  EXPECT_EQ(with("\"transpose,1f1b\"", "\"transpose,2f2b\""),
            Lines{"x.json: /schedules/0/schedule: expected comma-separated skeletons out of 1f1b, gpipe, "
                  "transpose, zb-h1, zb-h2, zb-1p, zb-2p, zb-v, v-half, v-min, wave(w) with w of at least 1, "
                  "dualpipe, dualpipev, listed, found \"2f2b\""});
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

TEST(BadExperiment, WorkOfAnotherLength) {
  EXPECT_EQ(
      with("\"layers\": 4,", "\"layers\": 4, \"work_per_microbatch\": [1, 2],"),
      Lines{"x.json: /model/blocks/1/work_per_microbatch: expected a list of 3, one factor per microbatch, "
            "found a list of 2"});
  EXPECT_EQ(
      with("\"layers\": 4,", "\"layers\": 4, \"work_per_microbatch\": [[1, 2, 3], [1, 2, 3]],"),
      Lines{"x.json: /model/blocks/1/work_per_microbatch: expected a list of 1, one list of factors per "
            "replica, found a list of 2"});
}

TEST(BadExperiment, ChoicesAreListed) {
  EXPECT_EQ(with("\"cut\": [2]", "\"cut\": [2], \"owner\": \"gready\""),
            Lines{"x.json: /schedules/0/owner: expected one of \"round-robin\", \"blocked\", \"greedy\", "
                  "\"min-max\", \"makespan\", found \"gready\""});
  EXPECT_EQ(with("\"cut\": [2]", "\"cut\": [2], \"order\": \"heaviest\""),
            Lines{"x.json: /schedules/0/order: expected one of \"as-sampled\", \"heaviest-first\", "
                  "\"lightest-first\", \"makespan\", found \"heaviest\""});
  EXPECT_EQ(with("\"network\"", "\"baseline\": \"b\", \"network\""),
            Lines{"x.json: /baseline: expected \"a\", found \"b\""});
}

TEST(BadExperiment, MoreWeightGradientActivationThanActivation) {
  EXPECT_EQ(with("\"forward_ms\": 1",
                 "\"activation_bytes\": 1, \"weight_gradient_activation_bytes\": 2, \"forward_ms\": 1"),
            Lines{"x.json: /model/blocks/0/profile/weight_gradient_activation_bytes: expected at most "
                  "activation_bytes, a part of them, found 2"});
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

TEST(BadExperiment, AFusedTimeThatNoOverlapTakes) {
  const auto fused = [](const std::string& ms) {
    return with("\"forward_ms\": 1", "\"fused_forward_backward_ms\": " + ms + ", \"forward_ms\": 1");
  };
  const std::string expected =
      "x.json: /model/blocks/0/profile/fused_forward_backward_ms: expected from 1.5 to 6.0, half and twice "
      "of "
      "the 3.0 that the forward and the backward take one after the other, found ";
  EXPECT_EQ(fused("1.4"), Lines{expected + "1.4"});
  EXPECT_EQ(fused("1e6"), Lines{expected + "1e+06"});
  EXPECT_EQ(fused("1.5"), Lines{});
  EXPECT_EQ(fused("6"), Lines{});
}

TEST(BadExperiment, APartOfActivationsThatAreNotStated) {
  EXPECT_EQ(
      with("\"forward_ms\": 1", "\"weight_gradient_activation_bytes\": 2, \"forward_ms\": 1"),
      Lines{"x.json: /model/blocks/0/profile/weight_gradient_activation_bytes: expected activation_bytes "
            "beside it, of which these are a part, found 2"});
}

TEST(BadExperiment, AnotherSchema) {
  EXPECT_EQ(with("experiment/1", "experiment/2"),
            Lines{"x.json: /schema: expected \"spillway/experiment/1\", found \"spillway/experiment/2\""});
}

TEST(BadExperiment, EveryViolationIsListed) {
  std::string text = kGood;
  text.replace(text.find("\"ranks\": 2"), 10, "\"ranks\": 0");
  text.replace(text.find("\"forward_ms\": 1"), 15, "\"forward_ms\": -1");
  text.replace(text.find("\"a\""), 3, "7");
  text.replace(text.find("\"network\""), 9, "\"netwrok\"");
  EXPECT_EQ(experiment_complaints(text),
            (Lines{"x.json: /netwrok: expected a known key, such as \"network\", found \"netwrok\"",
                   "x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found 0",
                   "x.json: /model/blocks/0/profile/forward_ms: expected a number of at least 0, found -1",
                   "x.json: /schedules/0/name: expected text, found 7"}));
}

TEST(BadExperiment, TruncatedJson) {
  EXPECT_EQ(experiment_complaints("{ \"schema\": \"spillway/experiment/1\",\n  \"name\": "),
            Lines{"x.json: line 2, column 11: expected valid JSON, found the end of the text"});
  EXPECT_EQ(experiment_complaints(""),
            Lines{"x.json: line 1, column 1: expected valid JSON, found the end of the text"});
}

TEST(BadExperiment, NotUtf8) {
  EXPECT_EQ(experiment_complaints("{ \"name\": \"\xff\" }"),
            Lines{"x.json: byte 12: expected UTF-8 text, found the byte 0xff"});
}

TEST(BadExperiment, TooDeep) {
  EXPECT_EQ(experiment_complaints(std::string(100000, '[')).size(), 1u);
  const Lines lines = experiment_complaints(std::string(65, '['));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].ends_with(": expected at most 64 levels of nesting, found more")) << lines[0];
}

TEST(BadExperiment, MissingFileAndDirectory) {
  const std::string folder = folder_of_this_test();
  EXPECT_EQ(complaints([&] { read_experiment(folder + "absent.json", {}); }),
            Lines{"absent.json: /: expected a readable file, found No such file or directory"});
  std::filesystem::create_directories(folder + "directory.json");
  EXPECT_EQ(complaints([&] { read_experiment(folder + "directory.json", {}); }),
            Lines{"directory.json: /: expected a file, found a directory"});
}

TEST(BadExperiment, HugeFile) {
  EXPECT_EQ(experiment_complaints(std::string((16U << 20) + 1, ' ')),
            Lines{"x.json: /: expected at most 16 MiB, found more"});
}

TEST(BadExperiment, EndlessFile) {
  EXPECT_EQ(complaints([] { read_experiment("/dev/zero", {}); }),
            Lines{"/dev/zero: /: expected at most 16 MiB, found more"});
}

TEST(BadExperiment, AFloodOfViolationsIsCounted) {
  std::string text = "{ \"schedules\": [";
  for (int i = 0; i < 3000; ++i) text += "0,";
  const Lines lines = experiment_complaints(text + "0] }");
  EXPECT_EQ(lines.size(), 1001u);
  EXPECT_EQ(lines.back(), "x.json: /: expected at most 1000 violations, found 2005 more");
}

TEST(BadExperiment, FilesItNames) {
  const std::string text = R"({ "schema": "spillway/experiment/1", "name": "x",
    "pipeline": { "ranks": 2, "microbatches": 3 }, "platform": "none.json",
    "model": { "blocks": [ { "name": "llm", "architecture": "gone/config.json",
      "profile": {}, "efficiency": { "compute": 1.5 } } ] },
    "workload": { "trace": "bad.csv", "images_per_sample": 1, "text_tokens": { "values": [1], "shares": [1, 2] },
      "samples_per_microbatch": 2 },
    "schedules": [ { "name": "a", "schedule": "1f1b" } ] })";
  written("bad.csv", "width,height,count\n0,10,1\n");
  const auto missing = [](const std::string& pointer, const std::string& file) {
    return "x.json: " + pointer +
           ": expected a readable file, its path relative to this file's folder, found \"" + file +
           "\": No such file or directory";
  };
  EXPECT_EQ(
      experiment_complaints(text),
      (Lines{missing("/platform", "none.json"),
             "x.json: /model/blocks/0/profile: expected no such key where blocks have architectures, found "
             "an object",
             missing("/model/blocks/0/architecture", "gone/config.json"),
             "x.json: /model/blocks/0/efficiency/compute: expected a number above 0 and at most 1, found 1.5",
             "bad.csv: line 2: expected a width from 1 to 131070, found \"0\"",
             "x.json: /workload/text_tokens/shares: expected a list of 1, one share per value, found a list "
             "of 2",
             "x.json: /workload/samples_per_microbatch: expected no such key with packed sequences: samples "
             "fill "
             "sequence_tokens, found 2"}));
}

// An encoder has to be given images.
TEST(BadExperiment, TextOnlyForAnEncoder) {
  std::string text = content_of(shipped("workloads/experiments/experiment-b.json"));
  const std::size_t at = text.find("{\n    \"trace\""), end = text.find("},\n  \"draws\"");
  text.replace(at, end - at, R"({ "sequence_tokens": 64, "sequences_per_microbatch": 2, "text_tokens": 1 )");
  for (std::size_t i = text.find("../models"); i != std::string::npos; i = text.find("../models"))
    text.replace(i, 9, shipped("workloads/models"));
  const Lines lines = experiment_complaints(text);
  EXPECT_NE(std::find(lines.begin(), lines.end(),
                      "x.json: /workload/text_tokens: expected no such key with sequences_per_microbatch: "
                      "microbatches hold text of one length, found 1"),
            lines.end());
  EXPECT_NE(
      std::find(lines.begin(), lines.end(),
                "x.json: /workload/sequences_per_microbatch: expected a trace of images instead: a block "
                "of the model encodes images, found 2"),
      lines.end());
}

// A device of a context-parallel group without a token would compute half of one.
TEST(BadExperiment, ASequenceShorterThanItsContextGroup) {
  std::string text = content_of(shipped("workloads/experiments/llama3-405b.json"));
  for (const auto& [part, other] : {std::pair<std::string, std::string>{"\"context\": 1", "\"context\": 4"},
                                    {"\"sequence_tokens\": 8192", "\"sequence_tokens\": 3"},
                                    {"\"replicas\": 128", "\"replicas\": 4"},
                                    {"../../platforms", shipped("platforms")},
                                    {"../models", shipped("workloads/models")}})
    text.replace(text.find(part), part.size(), other);
  EXPECT_EQ(experiment_complaints(text),
            Lines{"x.json: /parallel/context: expected at most the 3 tokens of a sequence, found 4"});
}

}  // namespace
}  // namespace spillway
