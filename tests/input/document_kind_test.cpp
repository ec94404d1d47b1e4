// A reader that gets another kind of document says only which kind it is.
#include <gtest/gtest.h>

#include "input/experiment/cases.h"
#include "input/experiment/experiment.h"
#include "input/platform/platform_reader.h"
#include "sweep/grid/file.h"
#include "written.h"

namespace spillway {
namespace {

struct Kind {
  std::string name;
  std::string file;
  std::string words;
  void (*read)(const std::string&);
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"experiment", "workloads/experiments/small.json",
       "an experiment: spillway run, explain and derive take it, and a sweep names it",
       [](const std::string& path) { read_experiment(path, {}); }},
      {"sweep", "workloads/studies/small.json", "a sweep: spillway sweep runs it",
       [](const std::string& path) { SweepFile file(path); }},
      {"platform", "platforms/ideal.json", "a platform: an experiment names it",
       [](const std::string& path) { read_platform(path); }},
      {"cases", "workloads/published/simumax-b200.json",
       "a table of measured steps: spillway validate, calibrate and explain --case take it",
       [](const std::string& path) { CaseFile file(path); }}};
  return all;
}

// This test gives every reader every other kind of document.
TEST(DocumentKind, IsRecognisedByEveryReader) {
  for (const Kind& wanted : kinds())
    for (const Kind& given : kinds()) {
      const std::string path = shipped(given.file);
      const Lines lines = complaints([&] { wanted.read(path); });
      if (wanted.name == given.name) {
        EXPECT_EQ(lines, Lines{}) << given.name;
        continue;
      }
      EXPECT_EQ(lines, Lines{path + ": /schema: expected \"spillway/" + wanted.name +
                             "/1\", found \"spillway/" + given.name + "/1\", " + given.words});
    }
}

TEST(DocumentKind, OfAnExperimentThatASweepNames) {
  const std::string sweep = written("s.json", R"({ "schema": "spillway/sweep/1", "experiment": ")" +
                                                  shipped("platforms/ideal.json") +
                                                  R"(", "axes": [ { "pointer": "/x", "values": [1] } ] })");
  EXPECT_EQ(
      complaints([&] { SweepFile file(sweep); }),
      Lines{shipped("platforms/ideal.json") + ": /schema: expected \"spillway/experiment/1\", found "
                                              "\"spillway/platform/1\", a platform: an experiment names it"});
}

TEST(DocumentKind, FilesOfOthersAreKnownByTheirKeys) {
  const std::string config = shipped("workloads/models/qwen3-0.6b/config.json");
  EXPECT_EQ(
      complaints([&] { read_experiment(config, {}); }),
      Lines{config + ": /: expected \"spillway/experiment/1\", found a model's configuration: a block of an "
                     "experiment names it as its architecture"});
  const std::string trace = written("t.json", R"({ "traceEvents": [] })");
  EXPECT_EQ(complaints([&] { read_experiment(trace, {}); }),
            Lines{"t.json: /: expected \"spillway/experiment/1\", found a trace: spillway validate and "
                  "import take it, and run as --workload"});
}

TEST(DocumentKind, AnUnknownOneIsReadAsAsked) {
  EXPECT_GT(experiment_complaints(R"({ "schema": "spillway/novel/1" })").size(), 1u);
  EXPECT_GT(experiment_complaints("{}").size(), 1u);
}

}  // namespace
}  // namespace spillway
