// Files that an experiment names but that do not fit it, and the exact message of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bad_experiment.h"
#include "input/experiment/experiment.h"

namespace spillway {
namespace {

TEST(BadExperiment, MissingFileAndDirectory) {
  const std::string folder = folder_of_this_test();
  EXPECT_EQ(complaints([&] { read_experiment(folder + "absent.json", {}); }),
            Lines{"absent.json: /: expected a readable file, found No such file or directory"});
  std::filesystem::create_directories(folder + "directory.json");
  EXPECT_EQ(complaints([&] { read_experiment(folder + "directory.json", {}); }),
            Lines{"directory.json: /: expected a file, found a directory"});
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
             "x.json: /model/blocks/0/profile: expected no such key, since blocks have architectures, found "
             "an empty object",
             missing("/model/blocks/0/architecture", "gone/config.json"),
             "x.json: /model/blocks/0/efficiency/compute: expected a number above 0 and at most 1, found 1.5",
             "bad.csv: line 2: expected a width from 1 to 131070, found \"0\"",
             "x.json: /workload/text_tokens/shares: expected a list of 1, one share per value, found a list "
             "of 2",
             "x.json: /workload/samples_per_microbatch: expected no such key, since samples fill packed "
             "sequences of sequence_tokens, found 2"}));
}

// An encoder needs images.
TEST(BadExperiment, TextOnlyForAnEncoder) {
  std::string text = content_of(shipped("workloads/experiments/experiment-b.json"));
  const std::size_t at = text.find("{\n    \"trace\""), end = text.find("},\n  \"draws\"");
  text.replace(at, end - at, R"({ "sequence_tokens": 64, "sequences_per_microbatch": 2, "text_tokens": 1 )");
  for (std::size_t i = text.find("../models"); i != std::string::npos; i = text.find("../models"))
    text.replace(i, 9, shipped("workloads/models"));
  const Lines lines = experiment_complaints(text);
  EXPECT_NE(std::find(lines.begin(), lines.end(),
                      "x.json: /workload/text_tokens: expected no such key beside sequences_per_microbatch, "
                      "since microbatches then hold text of one length, found 1"),
            lines.end());
  EXPECT_NE(std::find(lines.begin(), lines.end(),
                      "x.json: /workload/sequences_per_microbatch: expected a workload with an image trace, "
                      "since a block of the model encodes images, found 2"),
            lines.end());
}

// A device of a context-parallel group that has no token would compute half of one.
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
