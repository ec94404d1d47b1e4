// MindSpeed-MM's InternVL, and its models under FSDP2: by Megatron's arguments, by a YAML of these, and by
// the YAML of its own trainer (tests/launch/scripts: the keys and values of Ascend/MindSpeed-MM @57069cd55a
// and, for InternVL2, of @02655c5a).
#include "public_launch.h"

namespace spillway {
namespace {

LaunchOptions fsdp_options(const std::string& architecture = "") {
  LaunchOptions options;
  options.platform = "cloudmatrix384";
  options.images = "coco_val2017";
  options.text_tokens = 200;
  options.architecture = architecture;
  return options;
}

const std::string kBounded =
    "{trace:coco_val2017,rule:{min_pixels:1024,max_pixels:262144},images_per_sample:1,text_tokens:200,"
    "packing:unpacked,samples_per_microbatch:";

TEST(MindSpeedMmInternVl, ScriptAndFilesAreOneExperiment) {
  const LaunchImport launch = import_launch(kPublicScripts + "internvl2-8b-ascend.sh", fsdp_options());
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(launch.framework, "MindSpeed-MM");
  EXPECT_EQ(launch.layout, "Et*6|(t*9|)*2t*8L");
  EXPECT_EQ(text_at(document, {"schedules", "0", "layers_per_rank"}), "[30,9,9,8]");
  EXPECT_EQ(text_at(document, {"framework"}), "mindspeed-mm-internvl");
  EXPECT_EQ(keys_of_block(document, "encoder"), R"({"trainable":false})");
  const Node config = parsed_document(launch.architecture.value_or("{}"));
  EXPECT_EQ(text_at(config, {"max_dynamic_patch"}), "6");
  EXPECT_EQ(text_at(config, {"llm_config", "intermediate_size"}), "14336");
  EXPECT_EQ(text_at(config, {"vision_config", "qkv_bias"}), "true");
}

// Four ranks hold the tower alone; the embedding comes with the first layers of the language model.
TEST(MindSpeedMmInternVl, RanksMayHoldTheTowerAlone) {
  LaunchOptions options = fsdp_options();
  options.variables = {{"NNODES", "8"}};
  const LaunchImport launch = import_launch(kPublicScripts + "internvl2-76b-ascend.sh", options);
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(launch.layout, "(|)*3Et|t*5|t*6|(t*7|)*8t*6|t*6L");
  EXPECT_EQ(text_at(document, {"schedules", "0", "layers_per_rank"}),
            "[11,12,12,11,5,6,7,7,7,7,7,7,7,7,6,6]");
  EXPECT_EQ(keys_of_block(document, "backbone"), R"({"recompute":"full"})");
  EXPECT_EQ(text_at(document, {"pipeline"}), "{ranks:16,microbatches:128,replicas:8}");
  EXPECT_EQ(names_not_understood(launch),
            "--no-gradient-accumulation-fusion image_encoder.vision_encoder.drop_path_rate");
}

struct Fsdp {
  std::string script, architecture;
  std::string encoder, backbone, workload, stops_early, waits, not_understood;
  friend void PrintTo(const Fsdp& one, std::ostream* out) { *out << one.script; }
};

const std::vector<Fsdp> kFsdps = {
    {"internvl3.5-30b-ascend", SPILLWAY_SOURCE_DIR "/tests/input/configs/multimodal/internvl3.5-30b-a3b.json",
     R"({"trainable":true,"recompute":"full"})", R"({"recompute":"full"})",
     "{trace:coco_val2017,images_per_sample:1,text_tokens:200,packing:unpacked,samples_per_microbatch:1}",
     "false", "", "--no-gradient-accumulation-fusion"},
    {"qwen3-vl-30b-fsdp-ascend", "qwen3-vl-30b-a3b", R"({"trainable":false})", R"({"recompute":"full"})",
     kBounded + "1}", "false", "device", "gpt_args.no_gradient_accumulation_fusion"},
    {"qwen3-vl-30b-trainer-ascend", "", R"({"trainable":false})", R"({"recompute":"full"})", kBounded + "1}",
     "", "", ""},
    {"qwen3.5-27b-trainer-ascend", "qwen3.5-27b", R"({"trainable":true,"recompute":"full"})",
     R"({"recompute":"full"})", kBounded + "2}", "", "",
     "model.gdn_implementation model.causal_conv1d_implementation model.skip_gdn_recompute "
     "model.skip_flash_attn_recompute features.enable_chunk_loss features.enable_activation_offload"},
};

class PublicFsdp : public ::testing::TestWithParam<Fsdp> {};

TEST_P(PublicFsdp, BecomesItsExperiment) {
  const Fsdp& expected = GetParam();
  const LaunchImport launch =
      import_launch(kPublicScripts + expected.script + ".sh", fsdp_options(expected.architecture));
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(launch.framework, "MindSpeed-MM");
  EXPECT_EQ(text_at(document, {"framework"}), "mindspeed-mm-fsdp2");
  EXPECT_EQ(text_at(document, {"pipeline"}), "{ranks:1,microbatches:1,replicas:16}");
  EXPECT_EQ(text_at(document, {"parallel", "data"}), "zero3");
  EXPECT_EQ(keys_of_block(document, "encoder"), expected.encoder);
  EXPECT_EQ(keys_of_block(document, "backbone"), expected.backbone);
  EXPECT_EQ(text_at(document, {"workload"}), expected.workload);
  EXPECT_EQ(text_at(document, {"framework_set", "/recompute_stops_early"}), expected.stops_early);
  EXPECT_EQ(text_at(document, {"framework_set", "/sharding/synchronizes", "value"}), expected.waits);
  EXPECT_EQ(names_not_understood(launch), expected.not_understood);
}

INSTANTIATE_TEST_SUITE_P(MindSpeedMm, PublicFsdp, ::testing::ValuesIn(kFsdps), [](const auto& one) {
  std::string name = one.param.script;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
});

// The YAML alone has no launcher.
TEST(MindSpeedMmFsdp, AConfigurationAloneNeedsItsDevices) {
  const std::string yaml = kPublicScripts + "examples/qwen3vl/qwen3vl_30B_config_v1.yaml";
  LaunchOptions options = fsdp_options();
  EXPECT_NE(refusal_of_import(yaml, options).find("--devices N"), std::string::npos);
  options.devices = 16;
  options.arguments = {"training.gradient_accumulation_steps 4"};
  const Node document = parsed_document(import_launch(yaml, options).document);
  EXPECT_EQ(text_at(document, {"pipeline"}), "{ranks:1,microbatches:4,replicas:16}");
}

TEST(MindSpeedMmFsdp, SizesOfModelJsonAreSharded) {
  LaunchOptions options = fsdp_options();
  options.variables = {{"NNODES", "8"}};
  const LaunchImport launch = import_launch(kPublicScripts + "qwen2.5-vl-72b-fsdp-ascend.sh", options);
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(text_at(document, {"framework"}), "mindspeed-mm-fsdp2");
  EXPECT_EQ(text_at(document, {"pipeline"}), "{ranks:1,microbatches:1,replicas:128}");
  EXPECT_EQ(keys_of_block(document, "backbone"), R"({"recompute":"full"})");
  EXPECT_EQ(names_not_understood(launch),
            "--no-gradient-accumulation-fusion --no-initialization "
            "ignored_modules");
}

}  // namespace
}  // namespace spillway
