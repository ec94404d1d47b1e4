// The facts about shipped frameworks, against the shipped files.
#include "launch/software/software.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "input/experiment/experiment.h"
#include "input/platform/framework_reader.h"

namespace spillway {
namespace {

std::string frameworks_folder() {
  return std::string(SPILLWAY_SOURCE_DIR) + "/platforms/frameworks";
}

// A new file without a row would never be offered.
TEST(ShippedSoftware, IsEveryShippedFrameworkByItsName) {
  std::set<std::string> files, rows;
  for (const auto& entry : std::filesystem::directory_iterator(frameworks_folder()))
    files.insert(entry.path().stem());
  for (const ShippedSoftware& one : shipped_software()) {
    rows.insert(std::string(one.shipped));
    const std::string path = frameworks_folder() + '/' + std::string(one.shipped) + ".json";
    EXPECT_EQ(read_framework(path, {}, Files()).name, one.name);
    EXPECT_EQ(software_named(one.name), &one);
  }
  EXPECT_EQ(rows, files);
  EXPECT_EQ(rows.size(), shipped_software().size());
  EXPECT_EQ(software_named("nobody's"), nullptr);
}

Framework framework_of(const ShippedSoftware& software) {
  return read_framework(frameworks_folder() + '/' + std::string(software.shipped) + ".json", {}, Files());
}

// Encoders need a way with images if ranks have several devices.
TEST(ShippedSoftware, SaysHowEncodersTreatImages) {
  for (const ShippedSoftware& one : shipped_software()) {
    const auto models = framework_of(one).models;
    ASSERT_TRUE(models) << one.shipped;
    EXPECT_EQ(one.images.has_value(), models->trains_images() && one.splits) << one.shipped;
  }
}

// An encoder on a pipeline lies somewhere.
TEST(ShippedSoftware, SaysWhereAPipelineHasTheEncoder) {
  for (const ShippedSoftware& one : shipped_software()) {
    const Framework framework = framework_of(one);
    if (!framework.models->trains_images() || !one.splits) continue;
    ASSERT_TRUE(framework.stages) << one.shipped;
    EXPECT_TRUE(framework.stages->encoder_first) << one.shipped;
  }
}

Experiment experiment_with(const std::string& blocks, const std::string& workload) {
  return parse_experiment(
      R"({"schema":"spillway/experiment/1","name":"e","platform":")" + std::string(SPILLWAY_SOURCE_DIR) +
          R"(/platforms/hgx-h100.json","pipeline":{"ranks":1,"microbatches":1},"model":{"blocks":[)" +
          blocks + R"(]},"workload":)" + workload + R"(,"schedules":[{"name":"s","schedule":"1f1b"}]})",
      "experiment.json", {});
}
std::string block_of(const char* name, const char* role, const std::string& model) {
  return std::string(R"({"name":")") + name + R"(","role":")" + role + R"(","architecture":")" + model +
         R"("})";
}
Experiment images_of(const std::string& model) {
  return experiment_with(
      block_of("enc", "encoder", model) + ',' + block_of("llm", "backbone", model),
      R"({"trace":"coco_val2017","images_per_sample":1,"text_tokens":200,"packing":"unpacked"})");
}

std::set<std::string> names_of(const std::vector<const ShippedSoftware*>& software) {
  std::set<std::string> names;
  for (const ShippedSoftware* one : software) names.emplace(one->shipped);
  return names;
}

// Megatron-Bridge has Qwen2.5-VL and no Qwen2-VL, ms-swift has both, Megatron-LM neither.
TEST(OfferedSoftware, HasAModelOfTheFamily) {
  const OfferedSoftware older = offered_software(images_of("qwen2-vl-7b"));
  EXPECT_EQ(names_of(older.trains), (std::set<std::string>{"megatron-swift-vl", "hf-fsdp2", "hf-deepspeed"}));
  EXPECT_TRUE(names_of(older.lacks).contains("megatron-bridge-vl-eager"));
  EXPECT_TRUE(names_of(older.lacks).contains("megatron-eager"));
  EXPECT_FALSE(names_of(older.lacks).contains("mindspeed-mm"));
  const OfferedSoftware newer = offered_software(images_of("qwen2.5-vl-7b-published"));
  EXPECT_TRUE(names_of(newer.trains).contains("megatron-bridge-vl-eager"));
  EXPECT_TRUE(names_of(newer.trains).contains("megatron-swift-vl"));
  EXPECT_FALSE(names_of(newer.trains).contains("megatron-eager"));
  const OfferedSoftware text = offered_software(experiment_with(
      block_of("llm", "backbone", "llama-3-8b"), R"({"sequence_tokens":4096,"sequences_per_microbatch":1})"));
  EXPECT_TRUE(names_of(text.trains).contains("megatron-eager"));
  EXPECT_FALSE(names_of(text.trains).contains("megatron-bridge-vl-eager"));
}

TEST(OfferedSoftware, SaysWhatAFrameworkLacks) {
  const auto lacks = [](const char* name, const Experiment& experiment) {
    return lacking_model(framework_of(*software_named(name)), experiment);
  };
  EXPECT_EQ(lacks("Megatron-LM, eager", images_of("qwen2-vl-7b")), "it trains no models with images");
  EXPECT_EQ(lacks("Megatron-Bridge, images, eager", images_of("qwen2-vl-7b")), "it has no qwen2_vl");
  EXPECT_EQ(lacks("Megatron-SWIFT, images", images_of("internvl3-38b")), "");
  EXPECT_EQ(lacking_model(Framework{.name = "house"}, images_of("qwen2-vl-7b")), "");
}

}  // namespace
}  // namespace spillway
