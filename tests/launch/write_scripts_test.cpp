// The way back of public scripts (tests/launch/scripts): a script is read as an experiment, written as a
// script of the same framework, and read again. The two experiments are equal in what the scripts state.

#include "written_launch.h"

namespace spillway {
namespace {

struct WayBack {
  std::string script, platform, framework;
  ScriptSettings variables = {};
  std::uint32_t devices = 0;
  std::vector<std::string> arguments = {};
  std::string architecture = {};
  friend void PrintTo(const WayBack& one, std::ostream* out) { *out << one.script; }
};

const std::vector<WayBack> kWaysBack = {
    {"gpt-175b.sh", "hgx-a100", "megatron-lm", {{"NNODES", "96"}}},
    {"llama-3-8b-fp8.sh", "hgx-h100", "megatron-lm"},
    {"mixtral-8x7b.sh", "hgx-h100", "megatron-lm", {{"NNODES", "8"}}},
    {"llama-3-8b-fsdp.sh", "hgx-h100", "megatron-lm"},
    {"deepseek-v3-fsdp.sh", "hgx-h100", "megatron-lm", {}, 256},
    {"qwen3-32b-ascend.sh", "atlas-800t-a3", "mindspeed-llm"},
    {"glm-4.5-air-ascend.sh", "atlas-800t-a3", "mindspeed-llm"},
    {"qwen3-235b-ascend.sh", "cloudmatrix384", "mindspeed-llm"},
    {"deepseek-v3-ascend.sh", "cloudmatrix384", "mindspeed-llm"},
    {"qwen2.5-72b-ascend.sh", "cloudmatrix384", "mindspeed-llm"},
    {"bridge-llama3-70b.sh", "hgx-h100", "megatron-bridge"},
    {"bridge-llama3.1-405b.sh", "hgx-h100", "megatron-bridge"},
    {"bridge-qwen3-30b.sh", "hgx-h100", "megatron-bridge"},
    {"bridge-qwen3-235b.sh", "hgx-h100", "megatron-bridge"},
    {"bridge-gpt3-175b.sh", "hgx-h100", "megatron-bridge"},
    {"bridge-deepseek-v3.sh", "hgx-h100", "megatron-bridge"},
    {"titan-llama3-8b.toml", "hgx-h100", "torchtitan", {}, 8},
    {"titan-llama3-70b.toml", "hgx-h100", "torchtitan", {}, 256},
    {"titan-llama3-405b.toml", "hgx-h100", "torchtitan", {}, 512},
    {"titan-qwen3-32b.toml", "hgx-h100", "torchtitan", {}, 16},
    {"titan-qwen3-1.7b.toml", "hgx-h100", "torchtitan", {}, 8},
    {"titan-deepseek-v3.toml", "hgx-h100", "torchtitan", {}, 512},
    {"swift-qwen2.5-32b.sh", "hgx-h100", "deepspeed"},
    {"swift-qwen2.5-7b-zero3.sh", "hgx-h100", "deepspeed"},
    {"swift-qwen2.5-7b-ddp.sh", "hgx-h100", "accelerate"},
    {"swift-qwen2.5-7b-fsdp2.sh", "hgx-h100", "accelerate"},
    {"zephyr-7b.sh", "hgx-h100", "deepspeed"},
    {"qwen2.5-vl-7b-ascend.sh", "atlas-800t-a3", "mindspeed-mm"},
    {"qwen2.5-vl-72b-ascend.sh", "atlas-800t-a3", "mindspeed-mm", {{"NNODES", "2"}}},
};

class PublicWayBack : public ::testing::TestWithParam<WayBack> {};

LaunchOptions options_for(const WayBack& one) {
  LaunchOptions options;
  options.platform = one.platform;
  if (one.framework == "mindspeed-mm") {
    options.images = "coco_val2017";
    options.text_tokens = 200;
  }
  return options;
}

Experiment experiment_from(const WayBack& one) {
  LaunchOptions options = options_for(one);
  options.variables = one.variables;
  if (one.devices > 0) options.devices = one.devices;
  options.out = own_file("way-back.json").string();
  const LaunchImport launch = import_launch(kPublicScripts + one.script, options);
  FileMemory memory;
  if (launch.architecture) memory.put(launch.architecture_file, *launch.architecture);
  return parse_experiment(launch.document, options.out, {}, Files(memory));
}

TEST_P(PublicWayBack, StatesTheSameExperiment) {
  const WayBack& one = GetParam();
  const Experiment experiment = experiment_from(one);
  const LaunchAnswer answer =
      write_launch(experiment, experiment.schedules.front(), *launch_framework(one.framework));
  const auto* reasons = std::get_if<LaunchReasons>(&answer);
  ASSERT_EQ(reasons, nullptr) << (reasons ? joined(*reasons, "\n") : "");
  EXPECT_EQ(lost(experiment, 0, std::get<WrittenLaunch>(answer), options_for(one)), "");
}

INSTANTIATE_TEST_SUITE_P(Launch, PublicWayBack, ::testing::ValuesIn(kWaysBack), [](const auto& one) {
  std::string name = one.param.script;
  std::erase_if(name, [](char c) { return c == '-' || c == '.' || c == '_'; });
  return name;
});

}  // namespace
}  // namespace spillway
