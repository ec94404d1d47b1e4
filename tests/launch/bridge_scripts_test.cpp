// Recipes of Megatron-Bridge by name, with overrides.
#include <filesystem>
#include <fstream>

#include "launch/bridge/recipes.h"
#include "public_launch.h"

namespace spillway {
namespace {

struct Bridge {
  std::string file;
  std::string sizes;  // ranks, microbatches, replicas, of sequences x tokens
  std::string parallel, block, layout, framework, not_understood;
  friend void PrintTo(const Bridge& one, std::ostream* out) { *out << one.file; }
};

const std::vector<Bridge> kBridges = {
    {"bridge-llama3-70b", "4 512 1 1x8192",
     R"({"tensor":4,"sequence_parallel":true,"tensor_overlap":"all","context":2,"context_by":"ring",)"
     R"("data":"zero1"})",
     "{}", "Et*4|(t*4|)*18t*4L", "megatron-bridge", ""},
    {"bridge-llama3.1-405b", "8 512 1 1x131072",
     R"({"tensor":8,"sequence_parallel":true,"tensor_overlap":"all","context":4,"context_by":"ring",)"
     R"("data":"zero1"})",
     "{}", "Et*7|(t*8|)*14t*7L", "megatron-bridge", ""},
    {"bridge-qwen3-30b", "1 64 16 1x4096",
     R"({"tensor":1,"expert":16,"dispatch":"per-node","data":"zero1","main_params_dtype":"remainder",)"
     R"("exp_avg_dtype":"fp32","exp_avg_sq_dtype":"fp32"})",
     "{}", "", "megatron-bridge-graphs", ""},
    {"bridge-qwen3-235b", "16 16 2 1x4096",
     R"({"tensor":4,"sequence_parallel":true,"context":2,"context_by":"ring",)"
     R"("expert":8,"dispatch":"per-expert",)"
     R"("data":"zero1"})",
     "{}", "Et*5|(t*6|)*14t*5L", "megatron-bridge", ""},
    {"bridge-deepseek-v3", "16 128 32 1x4096",
     R"({"tensor":2,"sequence_parallel":true,"expert":64,"dispatch":"per-expert","data":"zero1",)"
     R"("main_params_dtype":"remainder","exp_avg_dtype":"bf16","exp_avg_sq_dtype":"bf16"})",
     R"({"separate_vocabulary":true,"multi_token_prediction":true})", "Et*4|(t*4|)*14tmL", "megatron-bridge",
     "model.moe_shared_expert_overlap"},
    {"bridge-gpt3-175b", "8 1024 1 2x2048",
     R"({"tensor":4,"sequence_parallel":true,"tensor_overlap":"all","data":"zero1"})", "{}",
     "Et*2|(t*2|)*46t*2L", "megatron-bridge", ""},
};

class PublicBridge : public ::testing::TestWithParam<Bridge> {};

TEST_P(PublicBridge, BecomesItsExperiment) {
  const Bridge& expected = GetParam();
  LaunchOptions options;
  options.platform = "hgx-h100";
  const LaunchImport launch = import_launch(kPublicScripts + expected.file + ".sh", options);
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(text_at(document, {"pipeline", "ranks"}) + ' ' + text_at(document, {"pipeline", "microbatches"}) +
                ' ' + text_at(document, {"pipeline", "replicas"}) + ' ' +
                text_at(document, {"workload", "sequences_per_microbatch"}) + 'x' +
                text_at(document, {"workload", "sequence_tokens"}),
            expected.sizes);
  EXPECT_EQ(compact_json(*member(&document, "parallel")), expected.parallel);
  EXPECT_EQ(keys_of_block(document, "backbone"), expected.block);
  EXPECT_EQ(launch.layout, expected.layout);
  EXPECT_EQ(text_at(document, {"framework"}), expected.framework);
  std::string names;
  for (const ShownArgument& each : launch.not_understood)
    add_to_list(names, each.text.substr(0, each.text.find(' ')));
  EXPECT_EQ(names, expected.not_understood);
}

INSTANTIATE_TEST_SUITE_P(MegatronBridge, PublicBridge, ::testing::ValuesIn(kBridges), [](const auto& one) {
  std::string name = one.param.file;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
});

class BridgeScript {
 public:
  explicit BridgeScript(const std::string& more) : path_(own_file("recipe.sh")) {
    std::ofstream(path_) << "python scripts/training/run_recipe.py --recipe " << more << "\n";
  }
  ~BridgeScript() { std::filesystem::remove(path_); }
  BridgeScript(const BridgeScript&) = delete;
  BridgeScript& operator=(const BridgeScript&) = delete;

  LaunchImport import(LaunchOptions options = {}) const {
    options.platform = "hgx-h100";
    return import_launch(path_.string(), options);
  }
  std::string refusal() const {
    LaunchOptions options;
    options.platform = "hgx-h100";
    return refusal_of_import(path_.string(), options);
  }

 private:
  std::filesystem::path path_;
};

TEST(BridgeRecipes, OverridesReplaceTheRecipes) {
  const BridgeScript script(
      "llama3_70b_pretrain_32gpu_h100_bf16_config -pp 2 -vp 4 train.global_batch_size=64 "
      "++model.cuda_graph_impl=transformer_engine model.new_key=3");
  const LaunchImport launch = script.import();
  EXPECT_EQ(launch.layout, "Et*10|(t*10|)*6t*10L");
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(text_at(document, {"pipeline", "replicas"}), "2");
  EXPECT_EQ(text_at(document, {"pipeline", "microbatches"}), "32");
  EXPECT_EQ(text_at(document, {"framework"}), "megatron-bridge-graphs");
  EXPECT_EQ(names_not_understood(launch), "model.new_key");
  // None takes a recipe's value back; --devices replaces its number.
  const BridgeScript plain(
      "llama3_70b_pretrain_32gpu_h100_bf16 model.virtual_pipeline_model_parallel_size=None");
  LaunchOptions options;
  options.devices = 64;
  options.arguments = {"train.global_batch_size=128"};
  const LaunchImport other = plain.import(options);
  EXPECT_EQ(other.layout, "Et*20|(t*20|)*2t*20L");
  EXPECT_EQ(text_at(parsed_document(other.document), {"pipeline", "microbatches"}), "64");
}

// Bytes of reduced gradients after the recipe and these settings; `idle` is what changes nothing.
std::string reduced_bytes(const std::string& more, std::string* idle = nullptr) {
  const LaunchImport launch = BridgeScript(more).import();
  EXPECT_TRUE(launch.not_understood.empty()) << launch.not_understood.front().text;
  if (idle)
    for (const ShownArgument& each : launch.idle) *idle += each.text + '\n';
  return text_at(parsed_document(launch.document), {"framework_set", "/gradient_bytes", "value"});
}

// A precision overwrites what ddp states, in whatever order the two are (mixed_precision.py, setup).
TEST(BridgeRecipes, APrecisionDecidesTheReduction) {
  const std::string library = "llama3_8b_pretrain_2gpu_h100_bf16 ",
                    fields = "gpt3_175b_pretrain_32gpu_h100_bf16 ",
                    benchmark = "llama3_8b_pretrain_8gpu_h100_fp8cs ";
  EXPECT_EQ(reduced_bytes(library), "4");
  EXPECT_EQ(reduced_bytes(fields), "2");
  EXPECT_EQ(reduced_bytes(benchmark), "2");
  std::string idle;
  EXPECT_EQ(reduced_bytes(library + "ddp.grad_reduce_in_fp32=false", &idle), "4");
  EXPECT_NE(idle.find("ddp.grad_reduce_in_fp32 false"), std::string::npos) << idle;
  EXPECT_EQ(reduced_bytes(fields + "mixed_precision=bf16_mixed ddp.grad_reduce_in_fp32=false"), "4");
  EXPECT_EQ(reduced_bytes(fields + "mixed_precision.grad_reduce_in_fp32=true"), "4");
  EXPECT_EQ(reduced_bytes(library + "mixed_precision=null model.bf16=true ddp.grad_reduce_in_fp32=false"),
            "2");
  EXPECT_EQ(reduced_bytes(library + "mixed_precision=null model.bf16=true"), "4");
  EXPECT_EQ(reduced_bytes(library + "mixed_precision=fp16_mixed"), "2");
}

// Another precision takes back the products of the recipe's own.
TEST(BridgeRecipes, APrecisionReplacesAnother) {
  const Node document = parsed_document(
      BridgeScript("llama3_8b_pretrain_8gpu_h100_fp8cs mixed_precision=bf16_mixed").import().document);
  EXPECT_EQ(compact_json(document).find("fp8"), std::string::npos) << compact_json(document);
}

TEST(BridgeRecipes, ValuesThatNoPrecisionHasAreNotUnderstood) {
  const LaunchImport launch =
      BridgeScript("llama3_8b_pretrain_2gpu_h100_bf16 model.bf16=true mixed_precision=fp99").import();
  EXPECT_EQ(names_not_understood(launch), "mixed_precision");
  const LaunchImport reduction = BridgeScript(
                                     "llama3_8b_pretrain_2gpu_h100_bf16 mixed_precision=null model.bf16=true "
                                     "ddp.grad_reduce_in_fp32=maybe")
                                     .import();
  EXPECT_EQ(names_not_understood(reduction), "ddp.grad_reduce_in_fp32");
}

TEST(BridgeRecipes, ErrorsNameTheKeyThatWasWritten) {
  EXPECT_NE(BridgeScript("no_such_recipe").refusal().find("line 1, --recipe: expected a recipe"),
            std::string::npos);
  const std::string text = BridgeScript("llama3_8b_pretrain_2gpu_h100_bf16 -sl long -cp 3").refusal();
  EXPECT_NE(text.find("line 1, dataset.seq_length: expected a whole number from 1, found \"long\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("expected a multiple of tensor x pipeline x context = 3 devices, found 2"),
            std::string::npos)
      << text;
}

// The number of devices in a recipe's name fits its degrees, so that none of them was copied wrongly.
TEST(BridgeRecipes, NamesStateTheirDevices) {
  for (const char* name : {"llama3_8b_pretrain_16gpu_h100_bf16_16k", "qwen3_32b_pretrain_16gpu_h100_bf16"}) {
    const BridgeRecipe* recipe = bridge_recipe(name);
    ASSERT_NE(recipe, nullptr);
    EXPECT_NE(std::string(name).find('_' + std::to_string(recipe->devices) + "gpu_"), std::string::npos);
    EXPECT_NO_THROW(BridgeScript(name).import());
  }
}

}  // namespace
}  // namespace spillway
