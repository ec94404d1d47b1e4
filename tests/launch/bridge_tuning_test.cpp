// Recipes of Megatron-Bridge that tune a model: all weights or low-rank adapters, of texts or of images.
#include <filesystem>
#include <fstream>

#include "launch/bridge/recipes.h"
#include "public_launch.h"

namespace spillway {
namespace {

LaunchImport tuned(const std::string& recipe, std::vector<std::string> beside = {}) {
  const auto path = own_file("tune.sh");
  std::ofstream(path) << "python scripts/training/run_recipe.py --recipe " << recipe << "_config\n";
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.images = "coco_val2017";
  options.text_tokens = 200;
  options.arguments = std::move(beside);
  return import_launch(path.string(), options);
}

// The number of devices in a recipe's name fits its degrees, and nothing of it is left out, so that none was
// copied wrongly.
TEST(BridgeTuning, EveryRecipeBecomesAnExperiment) {
  EXPECT_GE(bridge_tuning_recipes().size(), 40u);
  for (const BridgeRecipe& recipe : bridge_tuning_recipes()) {
    const std::string name(recipe.name);
    EXPECT_NE(name.find('_' + std::to_string(recipe.devices) + "gpu_"), std::string::npos) << name;
    const LaunchImport launch = tuned(name);
    EXPECT_EQ(names_not_understood(launch), "") << name;
    const bool adapts =
        recipe.kind == BridgeRecipeKind::Adapters || recipe.kind == BridgeRecipeKind::ImagesAdapters;
    EXPECT_EQ(launch.document.find("lora_rank") != std::string::npos, adapts) << name;
  }
}

TEST(BridgeTuning, TextsArePackedIntoSequences) {
  const LaunchImport launch = tuned("qwen3_32b_sft_16gpu_h100_bf16");
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(text_at(document, {"workload"}), "{sequence_tokens:2048,sequences_per_microbatch:1}");
  EXPECT_EQ(text_at(document, {"pipeline"}), "{ranks:2,microbatches:8,replicas:1}");
  EXPECT_EQ(keys_of_block(document, "backbone"), R"({"recompute":"full"})");
  ASSERT_FALSE(launch.assumptions.empty());
  EXPECT_EQ(launch.assumptions.front(), "a sequence of packed texts attends as one text");
}

TEST(BridgeTuning, AdaptersHaveTheRecipesRankAndTargets) {
  EXPECT_EQ(keys_of_block(parsed_document(tuned("qwen3_8b_peft_1gpu_h100_bf16").document), "backbone"),
            R"({"lora_rank":8,"lora_targets":["linear_qkv","linear_proj"]})");
  EXPECT_EQ(keys_of_block(parsed_document(tuned("llama3_70b_peft_8gpu_h100_bf16").document), "backbone"),
            R"({"lora_rank":16,"lora_targets":["linear_qkv","linear_proj","linear_fc1","linear_fc2"]})");
}

// An argument beside the script counts like one in it.
TEST(BridgeTuning, ArgumentsBesideAScriptAreReadOrListed) {
  const std::string recipe = "llama3_70b_peft_8gpu_h100_bf16";
  for (const auto& [beside, listed] : {std::pair("--foo bar", "--foo bar"), {"peft=null", "peft null"}}) {
    const LaunchImport launch = tuned(recipe, {beside});
    ASSERT_EQ(launch.not_understood.size(), 1u) << beside;
    EXPECT_EQ(launch.not_understood.front().text, listed);
  }
  const Node other =
      parsed_document(tuned(recipe, {"--recipe qwen3_8b_peft_1gpu_h100_bf16_config"}).document);
  EXPECT_EQ(keys_of_block(other, "backbone"),
            R"({"lora_rank":8,"lora_targets":["linear_qkv","linear_proj"]})");
  EXPECT_THROW(tuned(recipe, {"--recipe nope_config"}), InputError);
}

TEST(BridgeTuning, ScriptsStartThem) {
  const std::pair<std::string, std::string> expected[] = {
      {"bridge-llama3-70b-peft", "{ranks:1,microbatches:8,replicas:1}"},
      {"bridge-qwen3-32b-sft", "{ranks:2,microbatches:8,replicas:1}"},
      {"bridge-qwen2.5-vl-72b-sft", "{ranks:4,microbatches:16,replicas:1}"}};
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.images = "coco_val2017";
  options.text_tokens = 200;
  for (const auto& [file, pipeline] : expected) {
    const LaunchImport launch = import_launch(kPublicScripts + file + ".sh", options);
    EXPECT_EQ(text_at(parsed_document(launch.document), {"pipeline"}), pipeline) << file;
    EXPECT_EQ(names_not_understood(launch), "") << file;
  }
}

// Adapters freeze the tower. Qwen2.5-VL's has none of its own; those of Qwen3-VL's are left out, and said.
TEST(BridgeTuning, TowersBesideAdaptersAreFrozen) {
  const LaunchImport other = tuned("qwen25_vl_7b_peft_1gpu_h100_bf16");
  EXPECT_EQ(keys_of_block(parsed_document(other.document), "encoder"), R"({"trainable":false})");
  const LaunchImport own = tuned("qwen3_vl_8b_peft_1gpu_h100_bf16");
  EXPECT_EQ(own.assumptions.front(), "the adapters of the tower are left out");
  const LaunchImport experts = tuned("qwen3_vl_30b_a3b_peft_4gpu_h100_bf16");
  EXPECT_EQ(experts.assumptions.at(1), "each routed expert has its own adapters");
}

TEST(BridgeTuning, OverridesReplaceTheAdapters) {
  const auto path = own_file("override.sh");
  std::ofstream(path) << "python scripts/training/run_recipe.py --recipe "
                         "llama3_8b_peft_1gpu_h100_bf16_config --mode lora peft.dim=64 "
                         "peft.target_modules=[linear_qkv] peft.dropout=0.1\n";
  LaunchOptions options;
  options.platform = "hgx-h100";
  EXPECT_EQ(keys_of_block(parsed_document(import_launch(path.string(), options).document), "backbone"),
            R"({"lora_rank":64,"lora_targets":["linear_qkv"],"lora_dropout":0.1})");
}

}  // namespace
}  // namespace spillway
