// Sliding windows: models that have them, against their published sizes, and how files state windows.
#include <gtest/gtest.h>

#include "cost/layers/layer_cost.h"
#include "input/architecture/architecture_reader.h"
#include "written.h"

namespace spillway {
namespace {

TextModel windowed_model(const std::string& name, const ArchitectureOptions& options = {}) {
  return std::get<TextModel>(
      read_architecture(shipped("workloads/models/" + name + "/config.json"), Role::Backbone, options));
}

std::uint64_t total_of(const std::string& name) {
  return cost_of(layers_of(windowed_model(name))).parameters();
}

// Returns the window of each layer's attention.
std::vector<std::uint32_t> windows_of(const TextModel& model) {
  std::vector<std::uint32_t> windows;
  for (const Layer& layer : layers_of(model))
    for (const Operator& op : layer.operators)
      if (op.kind == OperatorKind::Attention) windows.push_back(op.window);
  return windows;
}

std::vector<std::uint32_t> windows_of(const std::string& name, std::uint32_t layers) {
  return windows_of(windowed_model(name, {.layers = layers}));
}

using Windows = std::vector<std::uint32_t>;

TEST(Windows, OfShippedModels) {
  EXPECT_EQ(windows_of("mistral-7b", 3), (Windows{4096, 4096, 4096}));
  EXPECT_EQ(windows_of("gemma-2-9b", 4), (Windows{4096, 0, 4096, 0}));
  EXPECT_EQ(windows_of("gemma-3-27b", 7), (Windows{1024, 1024, 1024, 1024, 1024, 0, 1024}));
  EXPECT_EQ(windows_of("gpt-oss-20b", 4), (Windows{128, 0, 128, 0}));
  EXPECT_EQ(windows_of("llama-3-8b", 2), (Windows{0, 0}));
}

TEST(Windows, ModelsThatHaveThemAreAsLargeAsPublished) {
  EXPECT_EQ(total_of("mistral-7b"), 7'241'732'096U);
  EXPECT_EQ(total_of("gemma-2-9b"), 9'241'705'984U);
  EXPECT_NEAR(static_cast<double>(total_of("gemma-3-27b")), 27.0e9, 0.05e9);
  EXPECT_NEAR(static_cast<double>(total_of("gpt-oss-20b")), 20.91e9, 0.01e9);
  EXPECT_NEAR(static_cast<double>(active_parameters(layer_stack(windowed_model("gpt-oss-20b")))),
              3.61e9 + 0.58e9,
              0.01e9);  // the published count leaves the embedding out
}

Lines config_complaints(const std::string& members) {
  const std::string path =
      written("config.json", R"({"model_type": "qwen2", "vocab_size": 100, "hidden_size": 64,
    "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4, "hidden_act": "silu", )" +
                                 members + "}");
  return complaints([&] { read_architecture(path, Role::Backbone, {}); });
}

Windows windows_in(const std::string& members) {
  const std::string path =
      written("config.json", R"({"model_type": "qwen2", "vocab_size": 100, "hidden_size": 64,
    "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4, "hidden_act": "silu", )" +
                                 members + "}");
  return windows_of(std::get<TextModel>(read_architecture(path, Role::Backbone, {})));
}

TEST(Windows, OfQwenAreUsedWhereTheFileSaysSo) {
  EXPECT_EQ(windows_in(R"("sliding_window": 32, "use_sliding_window": false)"), (Windows{0, 0, 0}));
  EXPECT_EQ(windows_in(R"("sliding_window": 32, "use_sliding_window": true, "max_window_layers": 2)"),
            (Windows{0, 0, 32}));
  EXPECT_EQ(windows_in(R"("sliding_window": 32, "use_sliding_window": true,
                          "layer_types": ["sliding_attention", "full_attention", "sliding_attention"])"),
            (Windows{32, 0, 32}));
}

TEST(Windows, ThatContradictThemselvesAreRefused) {
  EXPECT_EQ(config_complaints(R"("use_sliding_window": false,
                             "layer_types": ["full_attention", "sliding_attention", "full_attention"])"),
            Lines{"config.json: /layer_types/1: expected \"full_attention\", found \"sliding_attention\""});
  EXPECT_EQ(config_complaints(
                R"("use_sliding_window": true, "sliding_window": 8, "layer_types": ["full_attention"])"),
            Lines{"config.json: /layer_types: expected 3 layers, found 1"});
  EXPECT_EQ(config_complaints(R"("use_sliding_window": true,
                             "layer_types": ["full_attention", "sliding_attention", "full_attention"])"),
            Lines{"config.json: /sliding_window: expected the number of tokens of a window, found nothing"});
  EXPECT_EQ(config_complaints(R"("use_sliding_window": true, "sliding_window": 0)"),
            Lines{"config.json: /sliding_window: expected 1 to 16777216, found 0"});
}

// A window of 4 in a sequence of 10 has pairs, counted one by one: 4 a token, but 1 + 2 + 3 for the first
// three. The closed form counts half a pair less for each pair on the diagonal.
TEST(Windows, LeaveThePairsThatTheyReach) {
  double counted = 0;
  for (int query = 0; query < 10; ++query)
    for (int key = 0; key <= query; ++key) counted += query - key < 4 ? 1 : 0;
  EXPECT_NEAR(pairs_within(4, {10, 100}) / 2, counted, 4 / 2.0);
  EXPECT_EQ(pairs_within(10, {10, 100}), 100);
  EXPECT_EQ(pairs_within(20, {10, 100}), 100);
  const LayerCost whole = cost_of(Layer(attention({2, 2, 8, 8}, true)));
  Layer layer = attention({2, 2, 8, 8}, true);
  layer.operators[0].window = 4;
  EXPECT_DOUBLE_EQ(cost_of(layer).mixing({10, 100}).value(),
                   whole.mixing({10, pairs_within(4, {10, 100})}).value());
}

}  // namespace
}  // namespace spillway
