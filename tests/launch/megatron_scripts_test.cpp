// Public launch scripts, as scripts of our own with their arguments and values (tests/launch/scripts; each
// names its source): the layout in the experiment is the script's, and every argument that is not understood
// is listed.
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "public_launch.h"

namespace spillway {
namespace {

const std::string kScripts = SPILLWAY_SOURCE_DIR "/tests/launch/scripts/";

struct Public {
  std::string script, platform;
  ScriptSettings variables;
  std::string sizes;     // ranks, microbatches, replicas, of sequences x tokens
  std::string parallel;  // /parallel
  std::string block;     // /model/blocks/0 without name, role and architecture
  std::string schedule;  // and layers of its stages
  std::string layout;
  std::string not_understood;  // names
  friend void PrintTo(const Public& one, std::ostream* out) { *out << one.script; }
};

const std::vector<Public> kPublic = {
    {"gpt-175b",
     "hgx-a100",
     {{"NNODES", "96"}},
     "16 256 6 1x2048",
     R"({"tensor":8,"sequence_parallel":false,"data":"plain"})",
     "{}",
     "1f1b [6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6]",
     "Et*6|(t*6|)*14t*6L",
     "--step-batch-size-schedule"},
    {"llama-3-8b-fp8",
     "hgx-h100",
     {},
     "1 16 8 1x8192",
     R"({"tensor":1,"data":"zero1"})",
     R"({"fp8":"delayed","fp8_param":true})",
     "1f1b []",
     "",
     ""},
    {"mixtral-8x7b",
     "hgx-h100",
     {{"NNODES", "8"}},
     "4 16 16 1x4096",
     R"({"tensor":1,"expert":8,"dispatch":"per-expert","data":"zero1"})",
     "{}",
     "1f1b [8,8,8,8]",
     "Et*8|(t*8|)*2t*8L",
     ""},
    {"deepseek-v3-fsdp",
     "hgx-h100",
     {},
     "1 2 256 4x4096",
     R"({"tensor":1,"expert":8,"dispatch":"per-node","data":"zero3"})",
     R"({"multi_token_prediction":true,"recompute":["mlp","moe","mla_up_proj","layernorm"]})",
     "1f1b []",
     "",
     "--moe-flex-dispatcher-backend --no-gradient-accumulation-fusion --fsdp-double-buffer --use-nccl-ub "
     "--megatron-fsdp-grad-comm-dtype --megatron-fsdp-main-grads-dtype"},
    {"llama-3-8b-fsdp",
     "hgx-h100",
     {},
     "1 16 8 1x8192",
     R"({"tensor":1,"data":"zero3"})",
     R"({"fp8":"delayed","fp8_param":true})",
     "1f1b []",
     "",
     "--no-gradient-accumulation-fusion --use-nccl-ub --fsdp-double-buffer --fsdp-manual-registration"},
    {"deepseek-v3-ascend",
     "cloudmatrix384",
     {},
     "8 120 32 1x4096",
     R"({"tensor":2,"sequence_parallel":true,)"
     R"("expert":32,"dispatch":"per-expert","data":"zero1","optimizer":"swapped"})",
     R"({"multi_token_prediction":true,"recompute":"full","recompute_layers":8})",
     "dualpipev [4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,2]",
     "Et*4|(t*4|)*14tmL",
     "--spec --reset-attention-mask --mtp-mem-efficient-logits"},
    {"qwen3-32b-ascend",
     "atlas-800t-a3",
     {},
     "2 128 1 2x4096",
     R"({"tensor":8,"sequence_parallel":true,"data":"zero1"})",
     "{}",
     "1f1b,1f1b,1f1b,1f1b [8,8,8,8,8,8,8,8]",
     "Et*8|(t*8|)*6t*8L",
     "--spec --no-gradient-accumulation-fusion --reset-attention-mask"},
    {"qwen3-235b-ascend",
     "cloudmatrix384",
     {},
     "",
     "",
     "",
     "",
     "Et*8|(t*8|)*10t*6L",
     "--spec --moe-alltoall-overlap-comm --reuse-fp32-param --disable-gloo-group"},
    {"glm-4.5-air-ascend",
     "atlas-800t-a3",
     {},
     "4 2 32 1x4096",
     R"({"tensor":1,"expert":16,"dispatch":"per-expert","data":"zero1"})",
     R"({"multi_token_prediction":true,"recompute":"full"})",
     "1f1b [11,12,12,12]",
     "Et*11|(t*12|)*2t*11mL",
     "--no-rope-fusion --no-gradient-accumulation-fusion --no-bias-swiglu-fusion "
     "--moe-alltoall-overlap-comm"},
    {"qwen2.5-72b-ascend",
     "cloudmatrix384",
     {},
     "",
     "",
     "",
     "1f1b [17,20,22,21]",
     "Et*17|t*20|t*22|t*21L",
     "--no-gradient-accumulation-fusion --coc-fused-kernel"},
    {"deepseek-v2-lite-ascend",
     "atlas-800t-a3",
     {},
     "",
     "",
     "",
     "1f1b []",
     "",
     "--shape-order --reuse-fp32-param --no-gradient-accumulation-fusion --spec --moe-alltoall-overlap-comm"},
    {"qwen2.5-7b-swift",
     "hgx-h100",
     {},
     "1 16 1 1x8192",
     R"({"tensor":4,"sequence_parallel":true,"data":"zero1"})",
     R"({"recompute":"selective"})",
     "1f1b []",
     "",
     ""},
    {"qwen3-30b-swift",
     "hgx-h100",
     {},
     "2 2 8 1x8192",
     R"({"tensor":1,"expert":8,"dispatch":"per-expert","data":"zero1"})",
     R"({"recompute":"full"})",
     "1f1b [24,24]",
     "Et*24|t*24L",
     "--moe-shared-expert-overlap"},
    {"moonlight-swift",
     "hgx-h100",
     {},
     "2 4 4 1x8192",
     R"({"tensor":1,"expert":4,"dispatch":"per-expert","data":"zero1"})",
     R"({"recompute":"full"})",
     "1f1b [14,13]",
     "Et*14|t*13L",
     "--moe-shared-expert-overlap"},
    {"qwen2.5-7b-lora-swift",
     "hgx-h100",
     {},
     "1 1 1 16x2048",
     R"({"tensor":2,"sequence_parallel":true,"data":"zero1"})",
     R"({"recompute":"full","lora_rank":8})",
     "1f1b []",
     "",
     ""},
};

LaunchImport import_public(const Public& one) {
  LaunchOptions options;
  options.platform = one.platform;
  options.variables = one.variables;
  if (one.script == "deepseek-v3-fsdp") options.devices = 256;
  if (one.script == "qwen3-30b-swift") options.devices = 16;
  return import_launch(kScripts + one.script + ".sh", options);
}

Node parsed(const std::string& text) {
  Findings findings("x");
  auto node = parse_json(text, findings);
  EXPECT_TRUE(node.has_value());
  return node.value_or(Node{});
}

std::string sizes_of(const Node& document) {
  return text_at(document, {"pipeline", "ranks"}) + ' ' + text_at(document, {"pipeline", "microbatches"}) +
         ' ' + text_at(document, {"pipeline", "replicas"}) + ' ' +
         text_at(document, {"workload", "sequences_per_microbatch"}) + 'x' +
         text_at(document, {"workload", "sequence_tokens"});
}

std::string block_of(const Node& document) {
  Object keys;
  const Node* block = element(member(member(&document, "model"), "blocks"), 0);
  for (const Member& each : std::get<Object>(block->value))
    if (each.key != "name" && each.key != "role" && each.key != "architecture") keys.push_back(each);
  return compact_json({keys});
}

class PublicScript : public ::testing::TestWithParam<Public> {};

TEST_P(PublicScript, BecomesItsExperiment) {
  const Public& expected = GetParam();
  const LaunchImport launch = import_public(expected);
  const Node document = parsed(launch.document);
  std::vector<std::string> names;
  for (const ShownArgument& argument : launch.not_understood) {
    names.push_back(argument.text.substr(0, argument.text.find(' ')));
    EXPECT_GT(argument.line, 2u);
    // The document says it, too.
    EXPECT_NE(launch.document.find(names.back() + ' '), std::string::npos);
  }
  EXPECT_EQ(joined(names, " "), expected.not_understood);
  EXPECT_EQ(launch.layout, expected.layout);
  const std::string layers = text_at(document, {"schedules", "0", "layers_per_rank"});
  const std::string schedule =
      text_at(document, {"schedules", "0", "schedule"}) + ' ' + (layers.empty() ? "[]" : layers);
  if (!expected.sizes.empty()) {
    EXPECT_EQ(sizes_of(document), expected.sizes);
    EXPECT_EQ(compact_json(*member(&document, "parallel")), expected.parallel);
    EXPECT_EQ(block_of(document), expected.block);
    EXPECT_EQ(schedule, expected.schedule);
  }
}

TEST_P(PublicScript, ListsEveryArgument) {
  const LaunchImport launch = import_public(GetParam());
  std::ifstream in(kScripts + GetParam().script + ".sh");
  std::size_t given = 0;
  for (std::string line; std::getline(in, line);) given += line.starts_with("  --") ? 1 : 0;
  EXPECT_EQ(launch.read.size() + launch.idle.size() + launch.not_understood.size(), given);
}

INSTANTIATE_TEST_SUITE_P(Megatron, PublicScript, ::testing::ValuesIn(kPublic), [](const auto& one) {
  std::string name = one.param.script;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
});

std::string refusal_of(const std::string& script) {
  LaunchOptions options;
  options.platform = "hgx-h100";
  try {
    import_launch(kScripts + script + ".sh", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PublicScripts, ThatCannotBeExperimentsSayWhy) {
  const std::string text = refusal_of("gpt-oss");
  EXPECT_NE(text.find("--num-experts: expected --swiglu beside experts"), std::string::npos) << text;
  EXPECT_NE(text.find("--num-layers: expected layers that the 8 pipeline ranks"), std::string::npos) << text;
}

// megatron-moe.json prices a loss of several kernels; Transformer Engine's is one.
TEST(LossFusion, OfTransformerEngineIsOneKernel) {
  const auto changes = [](std::vector<std::string> arguments) {
    LaunchOptions options;
    options.platform = "hgx-h100";
    options.variables = {{"NNODES", "8"}};
    options.arguments = std::move(arguments);
    options.arguments.push_back("--overlap-param-gather");
    const Node document =
        parsed_document(import_launch(kScripts + std::string("mixtral-8x7b.sh"), options).document);
    EXPECT_EQ(text_at(document, {"framework"}), "megatron-moe");
    return text_at(document, {"framework_set", "/fused_loss"}) + ' ' +
           text_at(document, {"framework_set", "/operators/loss/traffic", "value"});
  };
  EXPECT_EQ(changes({"--cross-entropy-loss-fusion", "--cross-entropy-fusion-impl te"}), "true 1");
  EXPECT_EQ(changes({"--cross-entropy-loss-fusion"}), changes({}));
  EXPECT_EQ(changes({"--cross-entropy-fusion-impl te"}), changes({}));
}

}  // namespace
}  // namespace spillway
