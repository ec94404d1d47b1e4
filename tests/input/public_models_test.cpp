// Public config.json files against published parameter counts. docs/models.md says which counts were looked
// up and which were remembered. Files of Apache-2.0 and MIT models are as released (but for
// quantization_config and auto_map), taken from ai-dynamo/aiconfigurator @095f58a5,
// aic-core/src/aiconfigurator_core/model_configs. Files of the others hold only the sizes, from the pages
// named below.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "cost/layers/layer_cost.h"
#include "cost/layers/parameter_parts.h"
#include "input/architecture/architecture_reader.h"
#include "written.h"

namespace spillway {
namespace {

struct PublicModel {
  const char* file;
  const char* page;   // on huggingface.co
  double published;   // parameters of the checkpoint
  double within = 0;  // relative; not 0 where the page rounds, or states other parts
};

// Kimi-K2's page says "1T", counted in blocks of FP8 with their scales; its Table 2 says 1.04T with the
// embeddings counted again.
constexpr PublicModel kModels[] = {
    {"mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1", 46'702'792'704},
    {"minimax-m2.5", "MiniMaxAI/MiniMax-M2.5", 228.7e9, 1e-3},
    {"kimi-k2", "moonshotai/Kimi-K2-Instruct", 1.0264e12, 1e-3},
    {"deepseek-v3.2", "deepseek-ai/DeepSeek-V3.2", 671.88e9, 1e-3},  // 685B with multi-token prediction
    {"glm-5", "zai-org/GLM-5", 744e9, 1e-3},
    {"gpt-oss-120b", "openai/gpt-oss-120b", 116.83e9, 1e-3},
    {"qwen3-coder-480b", "Qwen/Qwen3-Coder-480B-A35B-Instruct", 480.15e9, 1e-3},
    {"qwen3-vl-8b", "Qwen/Qwen3-VL-8B-Instruct", 8'767'123'696},
    {"qwen2.5-vl-7b", "Qwen/Qwen2.5-VL-7B-Instruct", 8'292'166'656},
    {"internvl2.5-8b", "OpenGVLab/InternVL2_5-8B", 8'075'365'376},
    {"internvl3-8b", "OpenGVLab/InternVL3-8B", 7'944'373'760},
    {"internvl2-26b", "OpenGVLab/InternVL2-26B", 25.5e9, 2e-3},
    {"gemma-3-4b", "google/gemma-3-4b-it", 4'300'079'472},
    {"gemma-3-12b", "google/gemma-3-12b-it", 12'187'325'040},
    {"gemma-3-27b", "google/gemma-3-27b-it", 27'432'406'640},
    {"gemma-7b", "google/gemma-7b", 8'537'680'896},
    {"gemma-2-9b", "google/gemma-2-9b", 9'241'705'984},
    {"glm-4-9b-0414", "zai-org/GLM-4-9B-0414", 9'400'279'040},
    {"glm-4-9b-chat", "zai-org/glm-4-9b-chat", 9'399'951'360},
    {"glm-4.5-air", "zai-org/GLM-4.5-Air", 106.85e9, 1e-3},  // 110B with multi-token prediction
    {"glm-4.5", "zai-org/GLM-4.5", 352.8e9, 1e-3},           // 358B with it
    {"kimi-vl-a3b", "moonshotai/Kimi-VL-A3B-Instruct", 16.41e9, 1e-3},
    {"llama-4-scout", "meta-llama/Llama-4-Scout-17B-16E-Instruct", 108'641'793'536},
    {"paligemma-3b", "google/paligemma-3b-pt-224", 2'923'466'480},
};

std::string config_of(const std::string& name) {
  return shipped("tests/input/configs/" + name + ".json");
}

std::uint64_t part_parameters(const SupportedPart& part) {
  return cost_of(layer_stack(part.architecture.value()).layers).parameters();
}

class PublicModels : public ::testing::TestWithParam<PublicModel> {};

TEST_P(PublicModels, HaveTheParametersTheyPublish) {
  const PublicModel& model = GetParam();
  double found = 0;
  for (const SupportedPart& part : read_support(config_of(model.file))) {
    ASSERT_EQ(part.refused, std::vector<Violation>{}) << part.name << ": " << part.refused[0].pointer;
    found += static_cast<double>(part_parameters(part));
  }
  EXPECT_NEAR(found, model.published, model.published * model.within);
}

INSTANTIATE_TEST_SUITE_P(All, PublicModels, ::testing::ValuesIn(kModels), [](const auto& which) {
  std::string name = which.param.file;
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
});

// The parts add up to all parameters, and their active parameters to the stack's.
TEST_P(PublicModels, AreTheSumOfTheirParts) {
  for (const SupportedPart& part : read_support(config_of(GetParam().file))) {
    const LayerStack stack = layer_stack(part.architecture.value());
    std::uint64_t all = 0, active = 0;
    for (const ParameterPart& one : parameter_parts(stack)) {
      all += one.parameters;
      active += one.active;
    }
    EXPECT_EQ(all, part_parameters(part));
    EXPECT_EQ(active, active_parameters(stack));
  }
}

std::uint64_t named(const std::vector<ParameterPart>& parts, std::string_view name) {
  for (const ParameterPart& part : parts)
    if (part.name == name) return part.parameters;
  return 0;
}

// MiniMax has 256 experts of three 3072 x 1536 in 62 layers, routers, norms of 48 and 8 heads of 128, and two
// tables.
TEST(PublicParts, OfMiniMaxByHand) {
  const auto read = read_support(config_of("minimax-m2.5"));
  const auto parts = parameter_parts(layer_stack(*read[0].architecture));
  EXPECT_EQ(named(parts, "routed experts"), 62ULL * 256 * 3 * 3072 * 1536);
  EXPECT_EQ(named(parts, "router"), 62ULL * 256 * 3072);
  EXPECT_EQ(named(parts, "attention"), 62ULL * (3072 * 128 * (48 + 8 + 8) + 48 * 128 * 3072));
  EXPECT_EQ(named(parts, "biases and scales"), 62ULL * (256 + (48 + 8) * 128));
  EXPECT_EQ(named(parts, "embedding"), 200064ULL * 3072);
  EXPECT_EQ(named(parts, "head"), 200064ULL * 3072);
}

const Operator& attention_in(const Layer& layer) {
  for (const Operator& op : layer.operators)
    if (op.name == "attention") return op;
  throw ContractBreach("no attention");
}

// 112 pixels are 8 patches of 14; every eighth layer sees the whole image.
TEST(PublicParts, WindowsOfQwen2_5Vl) {
  const auto read = read_support(config_of("qwen2.5-vl-7b"));
  const LayerStack stack = layer_stack(*read[0].architecture);
  EXPECT_EQ(attention_in(stack.layers[6]).window, 64u);
  EXPECT_TRUE(attention_in(stack.layers[6]).blocks);
  EXPECT_EQ(attention_in(stack.layers[7]).window, 0u);
}

// Three of four layers attend within chunks, the fourth over the whole sequence; both are causal.
TEST(PublicParts, ChunksOfLlama4) {
  const auto read = read_support(config_of("llama-4-scout"));
  const LayerStack stack = layer_stack(*read[1].architecture);
  EXPECT_EQ(attention_in(stack.layers[46]).window, 8192u);
  EXPECT_TRUE(attention_in(stack.layers[46]).blocks);
  EXPECT_EQ(attention_in(stack.layers[47]).window, 0u);
}

// The test counts pairs one by one: tokens of a block see each other, and no others.
TEST(PublicParts, PairsInBlocks) {
  for (const std::uint32_t length : {4U, 12U, 64U}) {
    double counted = 0;
    for (std::uint32_t i = 0; i < length; ++i)
      for (std::uint32_t j = 0; j < length; ++j) counted += i / 4 == j / 4;
    EXPECT_EQ(pairs_in_blocks(4, {double(length), double(length) * length}), counted);
  }
  EXPECT_EQ(pairs_in_blocks(8, {4, 16}), 16);
}

std::vector<std::string> refusals(const std::string& name, const std::string& text, const std::string& by) {
  std::string content = content_of(config_of(name));
  const std::size_t at = content.find(text);
  EXPECT_NE(at, std::string::npos);
  const std::string path = written("config.json", content.replace(at, text.size(), by));
  std::vector<std::string> lines;
  for (const SupportedPart& part : read_support(path))
    for (const Violation& violation : part.refused)
      lines.push_back(part.name + ": " + violation.pointer + ": expected " + violation.expected + ", found " +
                      violation.found);
  return lines;
}

TEST(Support, WhatChangesTheNetworkIsRefusedByName) {
  EXPECT_EQ(
      refusals("mixtral-8x7b", "\"use_cache\": true", "\"use_cache\": true, \"parallel_attn\": true"),
      std::vector<std::string>{"language model: /parallel_attn: expected a key that is supported, such as "
                               "\"hidden_act\", found true"});
  EXPECT_EQ(
      refusals("glm-5", "\"index_topk\": 2048", "\"index_topk\": 2048, \"index_topk_pattern\": \"FS\""),
      std::vector<std::string>{"language model: /index_topk_pattern: expected an empty list: other values "
                               "are not supported, found \"FS\""});
  EXPECT_EQ(refusals("internvl3-8b", "\"select_layer\": -1", "\"select_layer\": -4"),
            std::vector<std::string>{
                "vision tower: /select_layer: expected -1: other values are not supported, found -4"});
  EXPECT_EQ(refusals("gemma-3-4b", "\"model_type\": \"gemma3\"", "\"model_type\": \"llava\""),
            std::vector<std::string>{"vision tower: /model_type: expected gemma3, paligemma or "
                                     "llava_onevision, the models whose projectors after this tower are "
                                     "supported, found \"llava\""});
}

TEST(Support, KeysThatChangeNothingAreNamed) {
  const auto read = read_support(config_of("mixtral-8x7b"));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_NE(std::ranges::find(read[0].idle, "router_aux_loss_coef"), read[0].idle.end());
  EXPECT_NE(std::ranges::find(read[0].read, "num_local_experts"), read[0].read.end());
}

}  // namespace
}  // namespace spillway
