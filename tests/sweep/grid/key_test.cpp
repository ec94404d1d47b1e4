// Checks which differences between points change their keys and which do not.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "input/experiment/experiment.h"
#include "input/written.h"
#include "json/file_memory.h"
#include "sweep/grid/file.h"
#include "sweeps.h"

namespace spillway {
namespace {

const std::string kAxis = R"({"pointer": "/pipeline/ranks", "values": [2, 4]})";

std::string first_key(const std::string& text) {
  return SweepFile(written("s.json", text)).key(0);
}

TEST(SweepKeys, AreOfTheDocumentAndNotOfItsText) {
  const std::string key = first_key(sweep_text(kAxis));
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), std::string::npos);
  std::string spaced = sweep_text(kAxis);
  for (std::size_t at = 0; (at = spaced.find(", \"", at)) != std::string::npos; at += 3)
    spaced.replace(at, 2, "\n ,  ");
  EXPECT_EQ(first_key(spaced), key);
  std::string turned = kSweptExperiment;
  const std::string name = R"("name": "llm", "layers": 4)";
  turned.replace(turned.find(name), name.size(), R"("layers": 4, "name": "llm")");
  EXPECT_EQ(first_key(sweep_text(kAxis, "", turned)), key);
}

TEST(SweepKeys, PassOverRemarks) {
  std::string renamed = kSweptExperiment + R"(, "assumptions": ["none"], "note": "n")";
  renamed.replace(renamed.find("\"x\""), 3, "\"y\"");
  EXPECT_EQ(first_key(sweep_text(kAxis, R"(, "name": "z", "note": "m")", renamed)),
            first_key(sweep_text(kAxis)));
}

TEST(SweepKeys, AreThePointsWhateverMadeIt) {
  const std::string key = first_key(sweep_text(kAxis));
  const auto axis = [](const std::string& pointer, const std::string& values) {
    return R"({"pointer": ")" + pointer + R"(", "values": [)" + values + "]}";
  };
  EXPECT_EQ(SweepFile(written("s.json", sweep_text(axis("/pipeline/ranks", "4, 1, 2")))).key(2), key);
  EXPECT_EQ(first_key(sweep_text(axis("/network/p2p_ms", "0"))), key);
  EXPECT_EQ(first_key(sweep_text(kAxis, R"(, "draws": 1, "seed": 1)")), key);
}

TEST(SweepKeys, TellPointsDrawsSeedsAndEnginesApart) {
  const std::string key = first_key(sweep_text(kAxis));
  EXPECT_NE(SweepFile(written("s.json", sweep_text(kAxis))).key(1), key);
  for (const char* more : {R"(, "draws": 2)", R"(, "seed": 2)", R"(, "engine": "simgrid")",
                           R"(, "set": {"/network/p2p_ms": 1})", R"(, "set": {"/schedules/0/name": "b"})"})
    EXPECT_NE(first_key(sweep_text(kAxis, more)), key) << more;
}

const std::string kActions = "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n";
const std::string kListed = R"("schema": "spillway/experiment/1", "name": "x",
  "pipeline": { "ranks": 2, "microbatches": 2 },
  "model": { "blocks": [ { "name": "llm", "layers": 4,
    "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
  "schedules": [ { "name": "a", "schedule": "listed", "order_file": "order.csv" } ])";

TEST(SweepKeys, KnowTheContentOfNamedFiles) {
  const std::string text =
      sweep_text(R"({"pointer": "/network/p2p_ms", "values": [0, 1]})", "", kListed + R"(, "network": {})");
  written("order.csv", kActions);
  const std::string key = first_key(text);
  EXPECT_EQ(first_key(text), key);
  written("order.csv", "0F0,0B0,0F1,0B1\n1F0,1B0,1F1,1B1\n");
  EXPECT_NE(first_key(text), key);
  written("order.csv", kActions);
  EXPECT_EQ(first_key(text), key);
}

// A point that names a missing file is refused. It has another key once the file exists.
TEST(SweepKeys, KnowWhetherANamedFileIsMissing) {
  const std::string path = written("s.json", sweep_text(R"({"pointer": "/schedules/0/order_file",
    "values": ["order.csv", "missing.csv"]})",
                                                        "", kListed));
  written("order.csv", kActions);
  std::filesystem::remove(folder_of_this_test() + "missing.csv");
  const SweepFile before(path);
  EXPECT_FALSE(complaints([&] { before.experiment(1); }).empty());
  const std::string key = before.key(1);
  written("missing.csv", kActions);
  EXPECT_FALSE(complaints([&] { before.experiment(1); }).empty());  // a file stays as it was first opened
  EXPECT_NE(SweepFile(path).key(1), key);
  EXPECT_EQ(SweepFile(path).key(0), before.key(0));
}

// Tests files that other files name: a platform's tables, an architecture's preprocessor. It copies them to
// its own folder, so that each can be changed.
class CopiedExperiment : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"workloads/experiments", "workloads/models/qwen2-vl-7b", "workloads/traces",
                               "workloads/measured", "platforms"}) {
      std::filesystem::create_directories(root_ + folder);
      std::filesystem::copy(shipped(folder), root_ + folder, std::filesystem::copy_options::recursive);
    }
    std::filesystem::create_directories(root_ + "workloads/experiments");
    std::ofstream(sweep_) << R"({"schema": "spillway/sweep/1", "experiment": {
      "schema": "spillway/experiment/1", "name": "x", "pipeline": {"ranks": 2, "microbatches": 4},
      "platform": "../../platforms/hgx-h200.json",
      "model": {"blocks": [
        {"name": "enc", "role": "encoder", "architecture": "../models/qwen2-vl-7b/config.json"},
        {"name": "llm", "architecture": "../models/qwen2-vl-7b/config.json"}]},
      "workload": {"trace": "../traces/coco_val2017.csv", "images_per_sample": 1, "text_tokens": 100},
      "schedules": [{"name": "a", "schedule": "transpose,1f1b"}]},
      "axes": [{"pointer": "/pipeline/microbatches", "values": [4, 8]}]})";
  }

  std::string key() const { return SweepFile(sweep_).key(1); }

  void touch(const std::string& file) const { std::ofstream(root_ + file, std::ios::app) << "\n"; }

  const std::string root_ = folder_of_this_test() + "copy/";
  const std::string sweep_ = root_ + "workloads/experiments/sweep.json";
};

TEST_F(CopiedExperiment, HasAKeyOfEveryFileThatIsRead) {
  std::string last = key();
  EXPECT_EQ(key(), last);
  for (const char* file :
       {"platforms/hgx-h200.json", "workloads/measured/h200-encoder-attention.csv",
        "workloads/models/qwen2-vl-7b/config.json", "workloads/models/qwen2-vl-7b/preprocessor_config.json",
        "workloads/traces/coco_val2017.csv"}) {
    touch(file);
    const std::string now = key();
    EXPECT_NE(now, last) << file;
    last = now;
  }
  touch("workloads/traces/mathvista_testmini.csv");
  EXPECT_EQ(key(), last);
}

// Reading through the memory gives the same as reading anew.
TEST(FileMemory, RemembersWhatReadersMade) {
  FileMemory memory;
  for (const char* name : {"experiment-a", "experiment-b", "llama3-405b", "small", "skeletons"}) {
    const std::string path = shipped(std::string("workloads/experiments/") + name + ".json");
    const Experiment anew = read_experiment(path, {});
    std::vector<Digest> opened;
    for (int i = 0; i < 2; ++i) {
      const Files files(memory);
      const Experiment read = read_experiment(path, {}, files);
      EXPECT_EQ(read.model.layer_count(), anew.model.layer_count());
      if (const auto* analytic = std::get_if<AnalyticExperiment>(&read.costs)) {
        const auto& other = std::get<AnalyticExperiment>(anew.costs);
        EXPECT_EQ(analytic->workload.patches.cumulative, other.workload.patches.cumulative);
        EXPECT_EQ(analytic->costs.platform.name, other.costs.platform.name);
      }
      if (i == 0) opened = files.opened();
      EXPECT_EQ(files.opened(), opened);  // known files are noted as new ones are
    }
    EXPECT_FALSE(opened.empty());
  }
}

TEST(SweepIdentity, IsOfTheGridAndItsKeys) {
  const auto identity = [](const std::string& text) { return SweepFile(written("s.json", text)).identity(); };
  const std::string one = identity(sweep_text(kAxis));
  EXPECT_EQ(identity(sweep_text(kAxis, R"(, "name": "other")")), one);
  EXPECT_NE(identity(sweep_text(R"({"pointer": "/pipeline/ranks", "values": [4, 2]})")), one);
  EXPECT_NE(identity(sweep_text(R"({"pointer": "/pipeline/ranks", "values": [2]})")), one);
  EXPECT_NE(identity(sweep_text(kAxis, R"(, "draws": 2)")), one);
  EXPECT_NE(identity(sweep_text(kAxis, R"(, "constraints": [
              {"left": "/pipeline/ranks", "is": "<", "right": 3}])")),
            one);
}

}  // namespace
}  // namespace spillway
