// Shipped files by name.
#include "json/shipped_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "input/experiment/experiment.h"
#include "support/temporary_folder.h"
#include "written.h"

namespace spillway::testing {
namespace {

namespace fs = std::filesystem;

std::string shipped_path(const std::string& name) {
  return fs::canonical(fs::path(SPILLWAY_SOURCE_DIR) / name).string();
}

TEST(ShippedFiles, AreFoundByName) {
  EXPECT_EQ(shipped_or("cloudmatrix384", "platform"), shipped_path("platforms/cloudmatrix384.json"));
  EXPECT_EQ(shipped_or("mindspeed", "framework"), shipped_path("platforms/frameworks/mindspeed.json"));
  EXPECT_EQ(shipped_or("qwen2.5-vl-7b", "architecture"),
            shipped_path("workloads/models/qwen2.5-vl-7b/config.json"));
  EXPECT_EQ(shipped_or("coco_val2017", "trace"), shipped_path("workloads/traces/coco_val2017.csv"));
  EXPECT_EQ(shipped_or("small-split", "order_file"), shipped_path("workloads/orders/small-split.csv"));
  EXPECT_EQ(shipped_or("h100-gemm-bf16", "file"), shipped_path("workloads/measured/h100-gemm-bf16.csv"));
  EXPECT_EQ(shipped_argument("straggler-ar", "recorded"),
            shipped_path("workloads/published/traces/straggler-ar.csv"));
  EXPECT_EQ(shipped_source(Source("experiment-a"), "experiment").file,
            shipped_path("workloads/experiments/experiment-a.json"));
}

TEST(ShippedFiles, PathsAndTextsStayWhatTheyAre) {
  for (const char* path : {"", "no-such-platform", ".."})
    EXPECT_EQ(shipped_source(Source(path), "platform").file, path);
  EXPECT_EQ(shipped_or("cloudmatrix384.json", "platform"), "cloudmatrix384.json");
  EXPECT_EQ(complaints([] { shipped_source(Source("../cloudmatrix384"), "platform"); }).size(), 1u);
  EXPECT_EQ(shipped_or("cloudmatrix384", "order_file"), "cloudmatrix384");
  EXPECT_EQ(shipped_source(Source("experiment-a", "{}"), "experiment").file, "experiment-a");
}

// A file of the user beside the document comes before a shipped one.
TEST(ShippedFiles, StandBehindWhatIsThere) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("cloudmatrix384")) << "{}";
  EXPECT_EQ(shipped_or(folder.file("cloudmatrix384"), "platform"), folder.file("cloudmatrix384"));
}

// A folder of that name beside the document is no platform or model; one of images is a trace.
TEST(ShippedFiles, StandBeforeFolders) {
  const TemporaryFolder folder;
  for (const char* name : {"cloudmatrix384", "internvl3-38b", "coco_val2017"})
    fs::create_directories(folder.path() / name);
  EXPECT_EQ(shipped_or(folder.file("cloudmatrix384"), "platform"),
            shipped_path("platforms/cloudmatrix384.json"));
  EXPECT_EQ(shipped_or(folder.file("internvl3-38b"), "architecture"),
            shipped_path("workloads/models/internvl3-38b/config.json"));
  EXPECT_EQ(shipped_or(folder.file("coco_val2017"), "trace"), folder.file("coco_val2017"));
}

TEST(ShippedFiles, OfAnotherCommandSayWhichTakesThem) {
  EXPECT_EQ(complaints([] { shipped_source(Source("experiment-a"), "job"); }),
            Lines{"experiment-a: /: expected a readable file, found a shipped experiment, which run takes"});
  EXPECT_EQ(complaints([] { shipped_source(Source("llama-3-8b"), "experiment"); }),
            Lines{"llama-3-8b: /: expected a readable file, found a shipped job, which plan takes"});
}

// A name that hardly differs from a shipped one is asked about, in a document and on the command line.
TEST(ShippedFiles, NearNamesAreNamed) {
  const auto of_argument = [](const char* path, const char* key) {
    return complaints([&] { shipped_argument(path, key); });
  };
  EXPECT_EQ(
      of_argument("coco_val2017.csv", "trace"),
      Lines{"coco_val2017.csv: /: expected a readable file, or the shipped \"coco_val2017\", found No such "
            "file or directory"});
  EXPECT_EQ(
      of_argument("qwen2.5vl-7b", "architecture"),
      Lines{"qwen2.5vl-7b: /: expected a readable file, or the shipped \"qwen2.5-vl-7b\", found No such "
            "file or directory"});
  EXPECT_EQ(
      of_argument("H20", "platform"),
      Lines{"H20: /: expected a readable file, or the shipped \"hgx-h20\", found No such file or directory"});
  EXPECT_EQ(of_argument("a100", "platform"),
            Lines{"a100: /: expected a readable file, or the shipped \"a100-vidur\" or \"hgx-a100\", found "
                  "No such file or directory"});
  EXPECT_EQ(of_argument("experiment-c", "experiment").size(), 1u);
  EXPECT_EQ(of_argument("something-else", "experiment"), Lines{});
  EXPECT_EQ(of_argument("coco_val2017", "no-such-key"), Lines{});
}

TEST(ShippedFiles, AnExperimentNamesThem) {
  const std::string path = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/experiment-b.json";
  const Experiment by_path = read_experiment(path, {});
  const Experiment by_name = read_experiment(
      path, {{"/platform", "cloudmatrix384"}, {"/model/blocks/0/architecture", "qwen3.5-9b"}});
  EXPECT_EQ(std::get<AnalyticExperiment>(by_name.costs).costs.platform.name,
            std::get<AnalyticExperiment>(by_path.costs).costs.platform.name);
}

TEST(ShippedFiles, AMissingNameIsAMissingFile) {
  const std::string path = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/experiment-b.json";
  EXPECT_EQ(complaints([&] {
              read_experiment(path, {{"/platform", "cloudmatrix385"}});
            }),
            std::vector<std::string>{
                path + ": /platform: expected a readable file, its path relative to the current "
                       "folder, or the shipped \"cloudmatrix384\", found \"cloudmatrix385\": No such "
                       "file or directory"});
}

}  // namespace
}  // namespace spillway::testing
