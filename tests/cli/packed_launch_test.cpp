// A job of packed images as its user meets it: from an experiment to a launch script, and back.
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/schema_check.h"

namespace spillway::testing {
namespace {

using Document = nlohmann::json;

constexpr const char* kPacked = R"({
  "schema": "spillway/experiment/1", "name": "packed", "platform": "hgx-h100", "framework": "megatron-swift-vl",
  "pipeline": { "ranks": 2, "microbatches": 4, "replicas": 2 },
  "parallel": { "tensor": 2, "images": "repeated", "data": "zero1" },
  "network": { "p2p": "blocking" },
  "model": { "blocks": [
    { "name": "enc", "role": "encoder", "trainable": false, "architecture": "qwen2-vl-7b" },
    { "name": "llm", "role": "backbone", "architecture": "qwen2-vl-7b" } ] },
  "workload": { "trace": "coco_val2017", "images_per_sample": 2, "text_tokens": 200,
    "packing": "packed", "sequence_tokens": 8192 },
  "schedules": [ { "name": "s", "schedule": "1f1b", "layers_per_rank": [46, 14] } ] })";

class PackedLaunch : public Cli {
 protected:
  std::string file(const char* name) const { return '\'' + (folder_ / name).string() + '\''; }
  Document step_of(const char* name) const {
    const Outcome outcome = run("run " + file(name) + " --engine longest-path --json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Document::parse(outcome.out)["schedules"][0]["makespan_s"];
  }
};

TEST_F(PackedLaunch, RunsAsTheExperimentThatItWasWrittenFor) {
  std::ofstream(folder_ / "packed.json") << kPacked;
  const Outcome written =
      run("export " + file("packed.json") + " --to megatron-swift --out " + file("launch"));
  ASSERT_EQ(written.status, 0) << written.err;
  const Outcome read =
      run("import " + file("launch/train.sh") +
          " --platform hgx-h100 --images coco_val2017 --images-per-sample 2 --text-tokens 200"
          " --out " +
          file("back.json"));
  ASSERT_EQ(read.status, 0) << read.err;
  EXPECT_NE(read.out.find("4 microbatches of 1 sequence x 8192 tokens, packed with samples of 2 images of "
                          "coco_val2017 and 200 text tokens for each replica\n"),
            std::string::npos)
      << read.out;
  EXPECT_EQ(step_of("packed.json"), step_of("back.json"));
}

TEST_F(PackedLaunch, OfAScheduleThatNoFrameworkHasNamesOneThatIsLaunched) {
  Document job = Document::parse(kPacked);
  const Document plain = job["schedules"][0];
  job["schedules"] = {{{"name", "before"}, {"schedule", "transpose,1f1b"}},
                      {{"name", "forward"}, {"schedule", "gpipe"}},
                      plain};
  std::ofstream(folder_ / "packed.json") << job;
  const Outcome all = run("export " + file("packed.json"));
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_TRUE(all.out.ends_with("a framework has a launch of --schedule s\n")) << all.out;
  EXPECT_EQ(run("export " + file("packed.json") + " --schedule s").out.find("has a launch of"),
            std::string::npos);
  const Outcome one = run("export " + file("packed.json") + " --to megatron-swift");
  EXPECT_EQ(one.status, 3);
  EXPECT_TRUE(one.err.ends_with("it has a launch of --schedule s\n")) << one.err;
  const Outcome document = run("export " + file("packed.json") + " --json");
  EXPECT_EQ(Document::parse(document.out)["instead"], Document{"s"});
  EXPECT_EQ(SchemaCheck("launches").complaints(Document::parse(document.out)), "");
}

TEST_F(PackedLaunch, PrintsOneDocumentOfItsSchema) {
  for (const std::string to : {"", " --to megatron-swift"}) {
    std::ofstream(folder_ / "packed.json") << kPacked;
    const Outcome printed = run("export " + file("packed.json") + to + " --json");
    ASSERT_EQ(printed.status, 0) << printed.err;
    const Document document = Document::parse(printed.out);
    EXPECT_EQ(SchemaCheck("launches").complaints(document), "");
    std::size_t launched = 0;
    for (const auto& one : document["launches"]) launched += !one["launch"].is_null();
    EXPECT_GT(launched, 0U);
    EXPECT_EQ(document["launches"].size() == 1, !to.empty());
  }
}

// A rank of one device shares images with nobody.
TEST_F(PackedLaunch, StatesHowARankSharesImages) {
  for (const char* tensor : {"1", "2"}) {
    std::ofstream(folder_ / "train.sh") << "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen2-VL-7B-Instruct "
                                           "--packing true --max_length 8192 --bf16 true "
                                           "--tensor_model_parallel_size "
                                        << tensor << "\n";
    const Outcome read = run("import " + file("train.sh") +
                             " --platform hgx-h100 --images coco_val2017 "
                             "--text-tokens 200 --out " +
                             file("back.json"));
    ASSERT_EQ(read.status, 0) << read.err;
    const Document parallel = Document::parse(slurp(folder_ / "back.json"))["parallel"];
    EXPECT_EQ(parallel.value("images", "none"), std::string(tensor) == "1" ? "none" : "repeated");
  }
}

// Two packed sequences in one microbatch are no experiment.
TEST_F(PackedLaunch, HasOneSequenceInEachMicrobatch) {
  std::ofstream(folder_ / "train.sh")
      << "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen2-VL-7B-Instruct "
         "--packing true --max_length 8192 --micro_batch_size 2 --bf16 true\n";
  const Outcome read =
      run("import " + file("train.sh") + " --platform hgx-h100 --images coco_val2017 --text-tokens 200");
  EXPECT_EQ(read.status, 2);
  EXPECT_NE(read.err.find("--micro-batch-size: expected 1, where --packing packs images and texts into "
                          "sequences, found 2"),
            std::string::npos)
      << read.err;
}

TEST_F(Cli, ImportPrintsOneDocumentOfItsSchema) {
  for (const char* script : {"internvl2-8b-ascend.sh", "glm-4.5-air-ascend.sh", "titan-llama3-8b.toml"}) {
    const Outcome read =
        run("import tests/launch/scripts/" + std::string(script) +
            " --platform hgx-h100 --devices 256 --images coco_val2017 --text-tokens 200 --json");
    EXPECT_EQ(SchemaCheck("launch").complaints(Document::parse(read.out)), "") << script << read.err;
  }
}

}  // namespace
}  // namespace spillway::testing
