// MindSpeed-MM: Megatron's arguments with a model and bounds of images in files (tests/launch/scripts and
// tests/launch/scripts/examples/qwen2.5vl: the keys and values of Ascend/MindSpeed-MM @57069cd55a,
// examples/qwen2.5vl).
#include "public_launch.h"

namespace spillway {
namespace {

LaunchOptions mm_options() {
  LaunchOptions options;
  options.platform = "atlas-800t-a3";
  options.images = "coco_val2017";
  options.text_tokens = 200;
  return options;
}

void expect_text(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(MindSpeedMm, ScriptAndFilesAreOneExperiment) {
  const LaunchImport launch = import_launch(kPublicScripts + "qwen2.5-vl-7b-ascend.sh", mm_options());
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(launch.framework, "MindSpeed-MM");
  EXPECT_EQ(launch.layout, "Et*12|t*16L");
  // 32 layers of the tower are on the first rank.
  EXPECT_EQ(text_at(document, {"schedules", "0", "layers_per_rank"}), "[44,16]");
  EXPECT_EQ(keys_of_block(document, "encoder"), R"({"trainable":false})");
  EXPECT_EQ(keys_of_block(document, "backbone"), "{}");
  EXPECT_EQ(text_at(document, {"pipeline"}), "{ranks:2,microbatches:48,replicas:4}");
  EXPECT_EQ(
      text_at(document, {"workload"}),
      "{trace:coco_val2017,rule:{max_pixels:262144},images_per_sample:1,text_tokens:200,packing:unpacked,"
      "samples_per_microbatch:1}");
  EXPECT_EQ(text_at(document, {"framework"}), "mindspeed-mm");
  EXPECT_EQ(names_not_understood(launch), "");
  ASSERT_TRUE(launch.architecture.has_value());
  const Node config = parsed_document(*launch.architecture);
  EXPECT_EQ(text_at(config, {"intermediate_size"}), "18944");
  EXPECT_EQ(text_at(config, {"num_key_value_heads"}), "4");
  EXPECT_EQ(text_at(config, {"vision_config", "out_hidden_size"}), "3584");
  EXPECT_EQ(text_at(config, {"vision_config", "fullatt_block_indexes"}), "[7,15,23,31]");
}

TEST(MindSpeedMm, EightRanks) {
  LaunchOptions options = mm_options();
  options.variables = {{"NNODES", "2"}};
  const LaunchImport launch = import_launch(kPublicScripts + "qwen2.5-vl-72b-ascend.sh", options);
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(launch.layout, "Et*6|(t*11|)*6t*8L");
  EXPECT_EQ(text_at(document, {"schedules", "0", "layers_per_rank"}), "[38,11,11,11,11,11,11,8]");
  EXPECT_EQ(names_not_understood(launch), "");
}

TEST(MindSpeedMm, WhatIsMissingIsAskedForAtOnce) {
  LaunchOptions options;
  options.platform = "atlas-800t-a3";
  const std::string text = refusal_of_import(kPublicScripts + "qwen2.5-vl-72b-ascend.sh", options);
  expect_text(text, "line 13, --nnodes: expected --set NNODES=VALUE");
  expect_text(text, "--images: expected a table");
  expect_text(text, "--text-tokens: expected the text tokens");
}

}  // namespace
}  // namespace spillway
