// Public language models, by the keys and values of their config.json as facts (tests/input/configs/text; the
// table beside this file names where each was read), against published parameter counts. A count of a
// checkpoint may hold more than the model: predictions, scales of FP8 blocks, a table twice. Those are
// counted by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cost/layers/layer_cost.h"
#include "input/architecture/architecture_reader.h"
#include "input/written.h"

namespace spillway {
namespace {

using Row = nlohmann::json;

std::vector<Row> table() {
  return Row::parse(content_of(shipped("tests/input/text_models/table.json")));
}

std::string facts_of(const std::string& name) {
  return shipped("tests/input/configs/text/" + name + ".json");
}

std::string label_of(const ::testing::TestParamInfo<Row>& which) {
  std::string name = which.param["file"];
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
}

double counted(const std::string& name, bool predictions) {
  const Architecture model =
      read_architecture(facts_of(name), Role::Backbone, {.multi_token_prediction = predictions});
  return static_cast<double>(cost_of(layer_stack(model).layers).parameters());
}

class TextModels : public ::testing::TestWithParam<Row> {};

TEST_P(TextModels, HaveTheParametersTheyPublish) {
  const Row& row = GetParam();
  const std::vector<SupportedPart> parts = read_support(facts_of(row["file"]));
  ASSERT_EQ(parts.size(), 1u);
  if (row.contains("refused")) {
    ASSERT_EQ(parts[0].refused.size(), 1u);
    EXPECT_EQ(parts[0].refused[0].pointer, row["refused"].get<std::string>());
    return;
  }
  ASSERT_EQ(parts[0].refused, std::vector<Violation>{}) << parts[0].refused[0].pointer;
  if (!row.contains("published")) return;
  const double published = row["published"];
  EXPECT_NEAR(counted(row["file"], row.value("predictions", false)) + row.value("besides", 0.0), published,
              row.value("within", 0.0) * published);
}

INSTANTIATE_TEST_SUITE_P(All, TextModels, ::testing::ValuesIn(table()), label_of);

// 85 % are covered, and 60 are counted to 0.1 %.
TEST(TextModelTable, CoversMostModels) {
  std::size_t covered = 0, close = 0;
  const std::vector<Row> rows = table();
  for (const Row& row : rows) {
    covered += !row.contains("refused");
    close += row.contains("published") && row.value("within", 0.0) <= 1e-3;
  }
  EXPECT_GE(covered, rows.size() * 85 / 100);
  EXPECT_GE(close, 60u);
}

LayerStack stack_of(const std::string& name) {
  return layer_stack(read_architecture(facts_of(name), Role::Backbone, {}));
}

bool has(const Layer& layer, std::string_view name) {
  return std::ranges::find(layer.operators, name, &Operator::name) != layer.operators.end();
}

std::size_t layers_with(const LayerStack& stack, std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::count_if(stack.layers, [&](const Layer& layer) { return has(layer, name); }));
}

const Operator& pairs_in(const Layer& layer) {
  const auto found = std::ranges::find(layer.operators, OperatorKind::Attention, &Operator::kind);
  if (found == layer.operators.end()) throw ContractBreach("no attention");
  return *found;
}

// MEMEM*E...: 23 of Mamba-2, 6 of attention and 23 of experts, which are squared ReLU.
TEST(TextModelLayers, OfNemotron3) {
  const LayerStack stack = stack_of("nemotron-3-nano-30b-a3b");
  ASSERT_EQ(stack.layers.size(), 52u);
  EXPECT_EQ(layers_with(stack, "state space"), 23u);
  EXPECT_EQ(layers_with(stack, kAttention), 6u);
  EXPECT_EQ(layers_with(stack, "expert up"), 23u);
  EXPECT_FALSE(has(stack.layers[1], "expert swiglu"));
  EXPECT_TRUE(has(stack_of("nemotron-3-super-120b-a12b").layers[1], kLatentDown));
}

// Layers with a window have 96 heads, others 64, and each head has a gate.
TEST(TextModelLayers, OfStep35) {
  const LayerStack stack = stack_of("step-3.5-flash");
  EXPECT_EQ(pairs_in(stack.layers[4]).heads.query, 64u);
  EXPECT_EQ(pairs_in(stack.layers[4]).window, 0u);
  EXPECT_EQ(pairs_in(stack.layers[5]).heads.query, 96u);
  EXPECT_EQ(pairs_in(stack.layers[5]).window, 512u);
  EXPECT_EQ(layers_with(stack, "head gate"), 45u);
  EXPECT_EQ(stack.heads, 32u);  // what divides both
}

// Values are narrower than keys; windows reach back 128 tokens in 39 of 48 layers.
TEST(TextModelLayers, OfMiMoV2) {
  const LayerStack stack = stack_of("mimo-v2-flash");
  EXPECT_EQ(pairs_in(stack.layers[1]).heads, (AttentionHeads{64, 8, 192, 128}));
  EXPECT_EQ(pairs_in(stack.layers[0]).heads, (AttentionHeads{64, 4, 192, 128}));
  std::size_t windows = 0;
  for (const Layer& layer : stack.layers) windows += pairs_in(layer).window == 128;
  EXPECT_EQ(windows, 39u);
}

// Three of four layers from the fourth on attend to what a layer before chose: no indexer of their own.
TEST(TextModelLayers, OfGlm52) {
  const LayerStack stack = stack_of("glm-5.2");
  EXPECT_EQ(layers_with(stack, "index q"), 21u);
  for (const Layer& layer : stack.layers) {
    const auto pairs = std::ranges::find(layer.operators, kAttention, &Operator::name);
    ASSERT_NE(pairs, layer.operators.end());
    EXPECT_EQ(pairs->window, 2048u);
  }
}

// Layers of LongCat have two of latent attention and one set of experts; 8 of a token's 12 compute.
TEST(TextModelLayers, OfLongCat) {
  const LayerStack stack = stack_of("longcat-flash-chat");
  ASSERT_EQ(stack.layers.size(), 28u);
  const Layer& layer = stack.layers[9];
  EXPECT_EQ(std::ranges::count(layer.operators, kAttention, &Operator::name), 2);
  EXPECT_EQ(std::ranges::count(layer.operators, "expert up", &Operator::name), 1);
  EXPECT_EQ(layer.routing.chosen, 8u);
  EXPECT_NEAR(static_cast<double>(active_parameters(stack)), 27.95e9, 0.01e9);
}

// A search removed attention from 31 of 80 layers.
TEST(TextModelLayers, OfLlamaNemotron) {
  const LayerStack stack = stack_of("llama-3.3-nemotron-super-49b");
  EXPECT_EQ(layers_with(stack, kAttention), 49u);
  EXPECT_EQ(layers_with(stack, "mlp up"), 80u);
}

TEST(TextModelLayers, OfHybrids) {
  EXPECT_EQ(layers_with(stack_of("falcon-h1-0.5b"), kAttention), 36u);
  EXPECT_EQ(layers_with(stack_of("falcon-h1-0.5b"), "state space"), 36u);
  EXPECT_EQ(layers_with(stack_of("minimax-text-01"), "lightning attention"), 70u);
  EXPECT_EQ(layers_with(stack_of("kimi-linear-48b-a3b"), "channel delta rule"), 20u);
  EXPECT_EQ(layers_with(stack_of("granite-4.0-h-small"), "state space"), 36u);
  EXPECT_EQ(layers_with(stack_of("lfm2.5-8b-a1b"), "convolution in"), 18u);
}

Lines refusals_when(const std::string& name, const std::string& text, const std::string& by) {
  std::string content = content_of(facts_of(name));
  const std::size_t at = content.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  Lines lines;
  for (const SupportedPart& part : read_support(written("config.json", content.replace(at, text.size(), by))))
    for (const Violation& violation : part.refused)
      lines.push_back(violation.pointer + ": expected " + violation.expected + ", found " + violation.found);
  return lines;
}

TEST(TextModelRefusals, NameTheKey) {
  EXPECT_EQ(refusals_when("nemotron-3-nano-30b-a3b", "MEMEM*E", "MEMEX*E")[0],
            "/hybrid_override_pattern: expected letters of M*-E, found "
            "\"MEMEX*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME\"");
  EXPECT_EQ(
      refusals_when("mimo-v2-flash", "\"swa_num_key_value_heads\": 8", "\"swa_num_key_value_heads\": 0"),
      Lines{"/swa_num_key_value_heads: expected a whole number of at least 1, found 0"});
  EXPECT_EQ(refusals_when("nemotron-3-nano-30b-a3b", "\"n_groups\": 8", "\"n_groups\": 7"),
            Lines{"/n_groups: expected a divisor of 64, found 7"});
  EXPECT_EQ(refusals_when("hunyuan-a13b", "\"use_cla\": false", "\"use_cla\": true"),
            Lines{"/use_cla: expected false: other values are not supported, found true"});
  EXPECT_EQ(refusals_when("smollm3-3b", "\"no_rope_layer_interval\": 4", "\"no_rope_layer_interval\": 0"),
            Lines{"/no_rope_layer_interval: expected 1 to 100000, found 0"});
  EXPECT_EQ(refusals_when("kimi-linear-48b-a3b", "\"num_heads\": 32", "\"num_heads\": 32, \"num_tails\": 2"),
            Lines{"/linear_attn_config/num_tails: expected a key that is supported, such as \"num_heads\", "
                  "found 2"});
  EXPECT_EQ(refusals_when("granite-4.0-h-small", "\"mamba\", \"mamba\"", "\"mamba\", \"mumba\""),
            Lines{"/layer_types/1: expected one of \"mamba\", \"attention\", found \"mumba\""});
  EXPECT_EQ(
      refusals_when("jamba-v0.1", "\"jamba\"", "\"falcon_mamba\""),
      Lines{"/model_type: expected a model without Mamba-1 layers, whose selective scan is not supported, "
            "found \"falcon_mamba\""});
}

}  // namespace
}  // namespace spillway
