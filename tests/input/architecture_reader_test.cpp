// Architectures are read from config.json files: the shipped files, and bad ones.
#include "input/architecture/architecture_reader.h"

#include <gtest/gtest.h>

#include "cost/layers/layer_cost.h"
#include "written.h"

namespace spillway {
namespace {

Architecture shipped_model(const std::string& name, Role role, const ArchitectureOptions& options = {}) {
  return read_architecture(shipped("workloads/models/" + name + "/config.json"), role, options);
}

LayerStack shipped_stack(const std::string& name, Role role, const ArchitectureOptions& options = {}) {
  return layer_stack(shipped_model(name, role, options));
}

double parameters(const LayerStack& stack) {
  return static_cast<double>(cost_of(stack.layers).parameters());
}
double text_parameters(const std::string& name) {
  return parameters(shipped_stack(name, Role::Backbone));
}
double tower_parameters(const std::string& name) {
  return parameters(shipped_stack(name, Role::Encoder));
}
double active(const std::string& name) {
  return static_cast<double>(active_parameters(shipped_stack(name, Role::Backbone)));
}

Lines bad(const std::string& text, Role role, const ArchitectureOptions& options = {}) {
  const std::string path = written("config.json", text);
  return complaints([&] { read_architecture(path, role, options); });
}

// Returns a shipped file with one text replaced by another.
std::string spoiled(const std::string& name, const std::string& text, const std::string& by) {
  std::string content = content_of(shipped("workloads/models/" + name + "/config.json"));
  const std::size_t at = content.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  return content.replace(at, text.size(), by);
}

Lines complaint_of(const std::string& name, const std::string& text, const std::string& by,
                   Role role = Role::Backbone) {
  return bad(spoiled(name, text, by), role);
}

// Published sizes (arXiv 2412.19437 and the configs' own pages).
TEST(ArchitectureReader, DeepSeekV3) {
  const auto model = std::get<TextModel>(shipped_model("deepseek-v3", Role::Backbone));
  EXPECT_EQ(model.num_hidden_layers, 61u);
  EXPECT_EQ(model.hidden_size, 7168u);
  EXPECT_EQ(model.experts->n_routed_experts, 256u);
  EXPECT_EQ(model.experts->first_k_dense_replace, 3u);
  EXPECT_EQ(model.experts->n_group, 8u);
  EXPECT_EQ(model.experts->topk_group, 4u);
  EXPECT_EQ(layer_count(shipped_model("deepseek-v3", Role::Backbone, {.separate_vocabulary = true})), 63u);
}

TEST(ArchitectureReader, Qwen2VlVit) {
  const auto vit = std::get<VisionTower>(shipped_model("qwen2-vl-7b", Role::Encoder));
  EXPECT_EQ(vit.depth, 32u);
  EXPECT_EQ(vit.hidden_size, 1280u);
  EXPECT_EQ(vit.intermediate_size, 5120u);
  EXPECT_EQ(vit.out_hidden_size, 3584u);
}

TEST(ArchitectureReader, OneFileOfTwoTowersGoesByRole) {
  EXPECT_TRUE(std::holds_alternative<VisionTower>(shipped_model("qwen3.5-9b", Role::Encoder)));
  EXPECT_TRUE(std::holds_alternative<TextModel>(shipped_model("qwen3.5-9b", Role::Backbone)));
}

TEST(ArchitectureReader, LayersMayBeReplaced) {
  EXPECT_EQ(layer_count(shipped_model("deepseek-v3", Role::Backbone, {.layers = 8})), 8u);
  EXPECT_EQ(layer_count(shipped_model("qwen2-vl-7b", Role::Encoder, {.layers = 8})), 8u);
  EXPECT_EQ(layer_count(shipped_model("dit-xl-2", Role::Generator, {.layers = 8})), 8u);
}

// Sizes are from arXiv 2407.21783, Table 3; totals are from the checkpoints' pages on Hugging Face: 8.03,
// 70.55 and 405.85 billion.
TEST(PublishedTotals, Llama3) {
  EXPECT_EQ(text_parameters("llama-3-8b"), 8'030'261'248.0);
  EXPECT_EQ(text_parameters("llama-3-70b"), 70'553'706'496.0);
  EXPECT_EQ(text_parameters("llama-3-405b"), 405'853'388'800.0);
}

// A layer has 4096 x (4096 + 2 x 1024), 4096 x 4096, three of 4096 x 14336, and two norms.
TEST(PublishedTotals, Llama3Layer) {
  const LayerStack stack = shipped_stack("llama-3-8b", Role::Backbone);
  const LayerCost layer = cost_of(stack.layers[5]);
  const std::uint64_t weights = 4096U * 6144U + 4096U * 4096U + 3U * 4096U * 14336U;
  EXPECT_EQ(layer.parameters(), weights + 2 * 4096U);
  EXPECT_EQ(layer.weights_per_token, Flops(2.0 * static_cast<double>(weights)));
  EXPECT_EQ(layer.mixing_per_pair, Flops(2.0 * 4096));  // half of 2 x 32 x (128 + 128)
  EXPECT_EQ(stack.key_value_heads, 8u);
}

// DeepSeek-V3 has 671B parameters. Multi-token prediction adds 11.5B, not counting the shared embedding and
// head (deepseek-ai/DeepSeek-V3, README_WEIGHTS.md): a sparse layer of 11.507B, a product of 14336 x 7168,
// three norms. 37B are active (arXiv 2412.19437): without the look-up table, 36.6 + 0.93.
TEST(PublishedTotals, DeepSeekV3) {
  EXPECT_NEAR(text_parameters("deepseek-v3"), 671.03e9, 0.005e9);
  EXPECT_NEAR(active("deepseek-v3"), 37.5e9, 0.1e9);
  const LayerStack more = shipped_stack("deepseek-v3", Role::Backbone, {.multi_token_prediction = true}),
                   without = shipped_stack("deepseek-v3", Role::Backbone, {});
  ASSERT_EQ(more.layers.size(), 62u);
  const LayerCost sparse = cost_of(more.layers[30]), all = cost_of(more.layers),
                  plain = cost_of(without.layers);
  EXPECT_EQ(all.parameters() - plain.parameters() - sparse.parameters(), 14336U * 7168U + 3U * 7168U);
  EXPECT_NEAR(static_cast<double>(all.parameters() - plain.parameters()), 11.5e9, 0.15e9);
  // Beside the layer, a token passes the product, and the shared head a second time.
  EXPECT_DOUBLE_EQ((all.weights_per_token - plain.weights_per_token - sparse.weights_per_token).value(),
                   2.0 * (14336.0 * 7168 + 129280.0 * 7168));
}

// It has 236B parameters, of which 21B are active (arXiv 2405.04434).
TEST(PublishedTotals, DeepSeekV2) {
  EXPECT_NEAR(text_parameters("deepseek-v2"), 235.74e9, 0.01e9);
  EXPECT_NEAR(active("deepseek-v2"), 21.4e9, 0.1e9);
}

// It has 235B parameters, of which 22B are active (arXiv 2505.09388; Hugging Face counts 235.09B).
TEST(PublishedTotals, Qwen3Moe) {
  EXPECT_NEAR(text_parameters("qwen3-235b-a22b"), 235.094e9, 0.001e9);
  EXPECT_NEAR(active("qwen3-235b-a22b"), 22.19e9, 0.01e9);
}

// Qwen/Qwen2-VL-7B-Instruct has 8,291,375,616 parameters, Qwen/Qwen2-7B 7,615,616,512.
TEST(PublishedTotals, Qwen2Vl) {
  EXPECT_EQ(text_parameters("qwen2-vl-7b"), 7'615'616'512.0);
  EXPECT_EQ(tower_parameters("qwen2-vl-7b"), 675'759'104.0);
  // Queries, keys and values have biases: 3584 x 4608 + 4608, 3584^2, three of 3584 x 18944, two norms.
  EXPECT_EQ(cost_of(shipped_stack("qwen2-vl-7b", Role::Backbone).layers[9]).parameters(), 233'057'792U);
}

// It has 31.07B parameters (Hugging Face, Qwen/Qwen3-VL-30B-A3B-Instruct). Its language model is
// Qwen3-30B-A3B: 30.53B, of which 3.3B are active (arXiv 2505.09388).
TEST(PublishedTotals, Qwen3Vl) {
  EXPECT_NEAR(text_parameters("qwen3-vl-30b-a3b"), 30.532e9, 0.001e9);
  EXPECT_NEAR(active("qwen3-vl-30b-a3b"), 3.35e9, 0.01e9);
  EXPECT_NEAR(text_parameters("qwen3-vl-30b-a3b") + tower_parameters("qwen3-vl-30b-a3b"), 31.07e9, 0.005e9);
}

// DeepStack adds, after layers 8, 16 and 24, a norm of 4608 and products 4608 x 4608 and 4608 x 2048.
TEST(PublishedTotals, Qwen3VlHasMergersAtItsTaps) {
  const LayerStack stack = shipped_stack("qwen3-vl-30b-a3b", Role::Encoder);
  EXPECT_EQ(stack.side_outputs, 3u);
  const std::uint64_t plain = cost_of(stack.layers[7]).parameters();
  const std::uint64_t merger = 2U * 4608U + 4608U * 4608U + 4608U + 4608U * 2048U + 2048U;
  for (std::size_t i = 1; i < 26; ++i) {
    const bool tap = i == 8 || i == 16 || i == 24;
    EXPECT_EQ(cost_of(stack.layers[i]).parameters(), plain + (tap ? merger : 0)) << i;
  }
}

// The model's name says 35B parameters, 3B active. A sparse layer has 256 experts of three 2048 x 512, a
// shared expert with its gate of 2048, and a router.
TEST(PublishedTotals, Qwen35Moe) {
  const LayerStack stack = shipped_stack("qwen3.5-35b-a3b", Role::Backbone);
  EXPECT_NEAR(parameters(stack), 35e9, 0.5e9);
  EXPECT_NEAR(active("qwen3.5-35b-a3b"), 3e9, 0.5e9);
  const LayerCost layer = cost_of(stack.layers[3]);
  const std::uint64_t expert = 3U * 2048U * 512U;
  EXPECT_EQ(layer.expert_parameters, 256U * expert);
  const std::uint64_t attention = 2048U * 8192U + 2048U * 1024U + 4096U * 2048U + 2U * 256U;
  EXPECT_EQ(layer.dense_parameters, attention + expert + 2048U + 2048U * 256U + 2U * 2048U);
}

// As in tests/cost: the checkpoint of Qwen/Qwen3.5-9B with its prediction layer has 19,306,216,416 bytes. A
// parameter takes 2 bytes, but 4 for decay and gated norm of 24 linear layers.
TEST(PublishedTotals, Qwen35WithMultiTokenPrediction) {
  const LayerStack text = shipped_stack("qwen3.5-9b", Role::Backbone, {.multi_token_prediction = true});
  EXPECT_EQ(text.layers.size(), 33u);
  EXPECT_EQ(2 * (parameters(text) + tower_parameters("qwen3.5-9b")) + 2 * 24 * (32 + 128), 19'306'216'416.0);
}

// gpt2 has 124,439,808 parameters (Hugging Face, openai-community/gpt2), gpt2-large 774,030,080.
TEST(PublishedTotals, Gpt2) {
  EXPECT_EQ(text_parameters("gpt-2"), 124'439'808.0);
  EXPECT_EQ(text_parameters("gpt-2-large"), 774'030'080.0);
}

// Narayanan et al. 2021 (arXiv 2104.04473), equation 2, counts 12 l h^2 (1 + 13/(12h) + (V + s)/(12 l h)).
// The model here adds only a final norm. GPT-3 has 175B parameters (arXiv 2005.14165).
TEST(PublishedTotals, Gpt3ByMegatronsFormula) {
  struct Size {
    const char* name;
    double width, layers, billions;
  };
  for (const Size& size : {Size{"gpt-3.6b", 3072, 30, 3.6}, Size{"gpt-18.4b", 6144, 40, 18.4},
                           Size{"gpt-39.1b", 8192, 48, 39.1}, Size{"gpt-175b", 12288, 96, 174.6}}) {
    const double h = size.width, l = size.layers;
    const double formula = 12 * l * h * h * (1 + 13 / (12 * h) + (51200 + 2048) / (12 * l * h));
    EXPECT_NEAR(text_parameters(size.name), formula + 2 * h, 1) << size.name;
    EXPECT_NEAR(formula / 1e9, size.billions, 0.05) << size.name;
  }
}

// The same paper's equation 3, with full recomputation, is 96 B s l h^2 (1 + s/(6h) + V/(16 l h)). It counts
// the whole square of attention and recomputes all but the head.
TEST(PublishedTotals, Gpt3NeedsTheFlopsOfMegatronsFormula) {
  const double s = 2048, l = 96, h = 12288, v = 51200;
  const LayerCost cost = cost_of(shipped_stack("gpt-175b", Role::Backbone).layers);
  const double square = 2 * cost.mixing({s, s * s}).value();
  const double head = 2 * s * h * v;
  const double step = 4 * (cost.weights({s, s * s}).value() + square) - head;
  EXPECT_NEAR(step / (96 * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))), 1, 1e-9);
}

// DiT-XL/2 (arXiv 2212.09748, Table 4) has 675M parameters and 118.64 "Gflops" at 256 x 256, which are
// multiply-accumulates. Its checkpoint has 675,129,632 parameters, of which 256 x 1152 are fixed positions.
TEST(PublishedTotals, DiT) {
  const LayerStack stack = shipped_stack("dit-xl-2", Role::Generator);
  EXPECT_EQ(stack.unit, LoadUnit::Patch);
  EXPECT_EQ(parameters(stack) + 256 * 1152, 675'129'632.0);
  const double flops = cost_of(stack.layers).forward({256, 256.0 * 256}).value();
  EXPECT_NEAR(flops / 2, 118.64e9, 0.02e9);  // the paper's count includes norms
}

// Unfused attention has the same products and parameters as fused attention, and adds traffic per score.
TEST(ArchitectureReader, AttentionMayBeUnfused) {
  const LayerStack fused = shipped_stack("gpt-2", Role::Backbone);
  const LayerStack unfused = shipped_stack("gpt-2", Role::Backbone, {.fused_attention = false});
  EXPECT_EQ(cost_of(fused.layers).parameters(), cost_of(unfused.layers).parameters());
  EXPECT_EQ(cost_of(fused.layers).mixing_per_pair, cost_of(unfused.layers).mixing_per_pair);
  const auto scores = [](const LayerStack& stack) {
    Bytes traffic{};
    for (const Operator& op : stack.layers[3].operators) traffic += op.traffic_per_pair;
    return traffic;
  };
  EXPECT_EQ(scores(fused), Bytes(0));
  EXPECT_GT(scores(unfused), Bytes(0));
}

TEST(ArchitectureReader, OtherModels) {
  const Lines other = bad(R"({ "model_type": "lstm" })", Role::Encoder);
  ASSERT_EQ(other.size(), 1u);
  EXPECT_TRUE(other[0].starts_with("config.json: /model_type: expected one of \"clip_vision_model\", "))
      << other[0];
  EXPECT_TRUE(other[0].ends_with("\"kimi_k3\", found \"lstm\"")) << other[0];
  EXPECT_EQ(bad("{}", Role::Backbone), Lines{"config.json: /model_type: expected a value, found nothing"});
  EXPECT_EQ(bad("[]", Role::Backbone), Lines{"config.json: /: expected an object, found an empty list"});
}

TEST(ArchitectureReader, TheWrongRole) {
  EXPECT_EQ(bad(R"({ "model_type": "deepseek_v3" })", Role::Encoder),
            Lines{"config.json: /model_type: expected a vision tower for an encoder, found \"deepseek_v3\""});
  EXPECT_EQ(bad(R"({ "_class_name": "DiTTransformer2DModel" })", Role::Backbone),
            Lines{"config.json: /_class_name: expected a model_type, since this block is no generator, found "
                  "\"DiTTransformer2DModel\""});
}

// The multimodal file has an unknown type, and the language model inside it a known one.
TEST(ArchitectureReader, TheSectionsOwnTypeCountsFirst) {
  const std::string text = content_of(shipped("workloads/models/llama-3-8b/config.json"));
  const std::string path = written("config.json", R"({ "model_type": "llava", "text_config": )" + text + "}");
  const Architecture model = read_architecture(path, Role::Backbone, {});
  EXPECT_EQ(cost_of(layer_stack(model).layers).parameters(), 8'030'261'248U);
}

TEST(ArchitectureReader, OptionsOfOtherModels) {
  EXPECT_EQ(bad(content_of(shipped("workloads/models/llama-3-8b/config.json")), Role::Backbone,
                {.multi_token_prediction = true}),
            Lines{"config.json: /num_nextn_predict_layers: expected at least 1 layer of multi-token "
                  "prediction, since multi_token_prediction is true, found none"});
  EXPECT_EQ(bad(content_of(shipped("workloads/models/qwen2-vl-7b/config.json")), Role::Encoder,
                {.fused_attention = false}),
            Lines{"config.json: /model_type: expected a language model, which unfused attention needs, found "
                  "\"qwen2_vl\""});
}

TEST(ArchitectureReader, SizesThatAreMissingOrImpossible) {
  EXPECT_EQ(bad(R"({ "model_type": "qwen2_vl" })", Role::Encoder),
            Lines{"config.json: /vision_config: expected an object, found nothing"});
  EXPECT_EQ(bad(R"({ "model_type": "qwen2_vl", "vision_config": { "depth": -1, "embed_dim": 0, "mlp_ratio": 4,
                 "num_heads": 16, "in_chans": 3, "patch_size": 14, "temporal_patch_size": 2,
                 "spatial_merge_size": 2 } })",
                Role::Encoder),
            (Lines{"config.json: /vision_config/depth: expected a whole number of at least 0, found -1",
                   "config.json: /vision_config/hidden_size: expected a value, found nothing"}));
  const Lines zero =
      bad(R"({ "model_type": "qwen2_vl", "vision_config": { "depth": 2, "embed_dim": 0, "mlp_ratio": 4,
                 "num_heads": 16, "in_chans": 3, "patch_size": 14, "temporal_patch_size": 2,
                 "spatial_merge_size": 2, "hidden_size": 64 } })",
          Role::Encoder);
  EXPECT_EQ(zero, Lines{"config.json: /vision_config/embed_dim: expected 1 to 16777216, found 0"});
}

TEST(ArchitectureReader, SizesThatContradictEachOther) {
  EXPECT_EQ(complaint_of("llama-3-8b", "\"num_attention_heads\": 32", "\"num_attention_heads\": 40"),
            Lines{"config.json: /num_attention_heads: expected a divisor of the width 4096, found 40"});
  EXPECT_EQ(complaint_of("llama-3-8b", "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 5"),
            Lines{"config.json: /num_key_value_heads: expected a divisor of 32, found 5"});
  EXPECT_EQ(complaint_of("gpt-2", "\"n_head\": 12", "\"n_head\": 13"),
            Lines{"config.json: /n_head: expected a divisor of the width 768, found 13"});
  EXPECT_EQ(complaint_of("qwen3-235b-a22b", "\"num_experts\": 128", "\"num_experts\": 4"),
            Lines{"config.json: /num_experts_per_tok: expected at most 4, found 8"});
  EXPECT_EQ(complaint_of("deepseek-v2", "\"first_k_dense_replace\": 1", "\"first_k_dense_replace\": 61"),
            Lines{"config.json: /first_k_dense_replace: expected at most 60, found 61"});
  EXPECT_EQ(complaint_of("qwen3-235b-a22b", "\"num_experts\": 128", "\"num_experts\": 0"),
            (Lines{"config.json: /num_experts: expected 1 to 16777216, found 0",
                   "config.json: /num_experts_per_tok: expected at most 0, found 8"}));
  EXPECT_EQ(complaint_of("dit-xl-2", "\"patch_size\": 2", "\"patch_size\": 3", Role::Generator),
            Lines{"config.json: /patch_size: expected a divisor of 32, found 3"});
}

TEST(ArchitectureReader, LayerListsThatSayOtherwise) {
  const std::string name = "qwen3.5-35b-a3b", at = "config.json: /text_config/layer_types";
  EXPECT_EQ(complaint_of(name, "\"num_hidden_layers\": 40", "\"num_hidden_layers\": 44"),
            Lines{at + ": expected 44 layers, found 40"});
  EXPECT_EQ(complaint_of(name, "\"full_attention_interval\": 4", "\"full_attention_interval\": 5"),
            Lines{at + "/3: expected \"linear_attention\", since full_attention_interval is 5, found "
                       "\"full_attention\""});
  EXPECT_EQ(
      complaint_of("qwen3-vl-30b-a3b", "[8, 16, 24]", "[8, 16, 27]", Role::Encoder),
      Lines{"config.json: /vision_config/deepstack_visual_indexes/2: expected ascending layers below the "
            "depth of 27, found 27"});
}

TEST(ArchitectureReader, NetworksThatAreNotCounted) {
  EXPECT_EQ(complaint_of("llama-3-8b", "\"silu\"", "\"relu2\""),
            Lines{"config.json: /hidden_act: expected \"silu\", found \"relu2\""});
  EXPECT_EQ(
      complaint_of("deepseek-v2", "\"moe_layer_freq\": 1,",
                   "\"moe_layer_freq\": 1, \"attention_bias\": true,"),
      Lines{"config.json: /attention_bias: expected false: other values are not supported, found true"});
  EXPECT_EQ(
      complaint_of("qwen3-235b-a22b", "\"mlp_only_layers\": []", "\"mlp_only_layers\": [3]"),
      Lines{"config.json: /mlp_only_layers: expected an empty list: other values are not supported, found a "
            "list of 1"});
  EXPECT_EQ(complaint_of("deepseek-v2", "\"moe_layer_freq\": 1", "\"moe_layer_freq\": 2"),
            Lines{"config.json: /moe_layer_freq: expected 1: other values are not supported, found 2"});
}

// The reader refuses an unknown size: it may be a typing error, or a part that is not counted. It ignores
// null values and keys that do not name sizes.
TEST(ArchitectureReader, KeysThatLookLikeSizes) {
  EXPECT_EQ(complaint_of("llama-3-8b", "\"mlp_bias\": false", "\"num_extra_layers\": 2"),
            Lines{"config.json: /num_extra_layers: expected a size that is supported, such as "
                  "\"num_hidden_layers\", found 2"});
  EXPECT_EQ(complaint_of("llama-3-8b", "\"mlp_bias\": false",
                         "\"num_extra_layers\": null, \"rope_theta\": 5, \"torch_dtype\": \"bfloat16\", "
                         "\"rope_scaling\": { \"factor\": 8 }, \"rms_norm_eps\": 1e-5"),
            Lines{});
  EXPECT_EQ(complaint_of("llama-3-8b", "\"vocab_size\": 128256", "\"vocab_size\": \"many\""),
            Lines{"config.json: /vocab_size: expected a whole number of at least 0, found \"many\""});
}

}  // namespace
}  // namespace spillway
