// Architectures against published totals and against sums written out here.
#include "cost/layers/architecture.h"

#include <gtest/gtest.h>

#include "published_models.h"

namespace spillway {
namespace {

constexpr double kTokens = 8192;
constexpr DeviceLoad kSequenceLoad{kTokens, kTokens* kTokens};

// Qwen/Qwen2-VL-7B-Instruct has 8,291,375,616 parameters, Qwen/Qwen2-7B, its language model, 7,615,616,512
// (Hugging Face model pages); the tower with its merger is the rest.
TEST(Qwen2VlVit, HasThePublishedParameters) {
  EXPECT_EQ(whole(qwen2_vl_vit(3584)).parameters(), 8'291'375'616U - 7'615'616'512U);
  EXPECT_NEAR(static_cast<double>(whole(qwen2_vl_vit(7168)).parameters()), 694.1e6, 0.05e6);
}

// A layer has qkv and projection 4 x 1280^2, MLP 2 x 1280 x 5120, biases 3840 + 1280 + 5120 + 1280, and two
// layer norms of 2 x 1280 each.
TEST(Qwen2VlVit, HasALayerOf19Point68Million) {
  const LayerStack stack = layer_stack(qwen2_vl_vit(3584));
  ASSERT_EQ(stack.layers.size(), 32U);
  EXPECT_EQ(stack.unit, LoadUnit::Patch);
  EXPECT_EQ(cost_of(stack.layers[7]).parameters(), 6'553'600U + 13'107'200U + 11'520U + 5'120U);
  EXPECT_EQ(cost_of(stack.layers[7]).weights_per_token, Flops(2.0 * (6'553'600 + 13'107'200)));
  EXPECT_EQ(cost_of(stack.layers[7]).mixing_per_pair,
            Flops(4 * 1280));  // scores and values: 2 FLOPs x 1280 each
}

// The first layer also holds the patch embedding, 3 x 2 x 14 x 14 x 1280. The last also holds a norm per
// patch and the merger, 5120 x 5120 and 5120 x 7168 for every four patches.
TEST(Qwen2VlVit, PutsTheEmbeddingFirstAndTheMergerLast) {
  const LayerStack stack = layer_stack(qwen2_vl_vit(7168));
  const LayerCost inner = cost_of(stack.layers[1]), last = cost_of(stack.layers.back());
  EXPECT_EQ(cost_of(stack.layers.front()).parameters() - inner.parameters(), 1'505'280U);
  EXPECT_EQ(last.parameters() - inner.parameters(), 2'560U + 5120U * 5120U + 5120U + 5120U * 7168U + 7168U);
  EXPECT_DOUBLE_EQ((last.weights_per_token - inner.weights_per_token).value(),
                   2.0 * (5120.0 * 5120 + 5120.0 * 7168) / 4);
}

// Table 1 of the paper gives 2.88e17 FLOPs at 4 x 8K patches per sequence. With images of 1024 patches and a
// backward of twice the forward, that is about 2048 sequences, as many as its 4.76e18 backbone FLOPs.
TEST(Qwen2VlVit, DecodesTable1) {
  const DeviceLoad patches{32768, 32.0 * 1024 * 1024};
  const double per_sequence = 3 * whole(qwen2_vl_vit(7168)).forward(patches).value();
  EXPECT_NEAR(2.88e17 / per_sequence, 2048, 0.025 * 2048);
  const double backbone = 3 * whole(deepseek_v3()).forward(kSequenceLoad).value();
  EXPECT_NEAR(4.76e18 / backbone, 2048, 0.025 * 2048);
}

// https://huggingface.co/deepseek-ai/DeepSeek-V3 states 671B without the multi-token-prediction module; arXiv
// 2412.19437.
TEST(DeepSeekV3, HasThePublishedParameters) {
  EXPECT_NEAR(static_cast<double>(whole(deepseek_v3()).parameters()), 671.03e9, 0.005e9);
}

// A dense layer has attention 7168 x 1536, 1536 x 128 x 192, 7168 x 576, 512 x 128 x 256, 16384 x 7168; norms
// 7168, 1536, 512, 7168; and three matrices 7168 x 18432. A sparse one has a router and its bias and 257
// experts of three 7168 x 2048.
TEST(DeepSeekV3, HasLayersOfTheStatedSizes) {
  const std::uint64_t attention =
      7168U * 1536U + 1536U * 24576U + 7168U * 576U + 512U * 32768U + std::uint64_t{16384} * 7168;
  EXPECT_NEAR(static_cast<double>(attention), 187.1e6, 0.05e6);
  const std::uint64_t norms = 7168 + 1536 + 512 + 7168;
  const std::uint64_t expert = 3U * 7168U * 2048U;
  const LayerStack stack = layer_stack(deepseek_v3());
  EXPECT_EQ(cost_of(stack.layers[1]).parameters(), attention + norms + 3U * 7168U * 18432U);
  EXPECT_EQ(cost_of(stack.layers[1]).expert_parameters, 0U);
  EXPECT_EQ(cost_of(stack.layers[3]).expert_parameters, 256 * expert);
  EXPECT_EQ(cost_of(stack.layers[3]).dense_parameters, attention + norms + expert + 256U * 7168U + 256U);
  EXPECT_NEAR(static_cast<double>(cost_of(stack.layers[3]).parameters()), 11.507e9, 0.001e9);
  // Active parameters, those that a token's products read: 585.3M.
  EXPECT_NEAR(cost_of(stack.layers[3]).weights_per_token.value() / 2, 585.3e6, 0.1e6);
}

// The published training work of one 8K sequence is 1.80e15 linear and 0.50e15 causal attention.
TEST(DeepSeekV3, NeedsThePublishedTrainingFlops) {
  const LayerCost cost = whole(deepseek_v3());
  EXPECT_NEAR(3 * cost.weights(kSequenceLoad).value(), 1.80e15, 0.005e15);
  EXPECT_NEAR(3 * cost.mixing(kSequenceLoad).value(), 0.50e15, 0.005e15);
  EXPECT_NEAR(3 * cost.forward(kSequenceLoad).value(), 2.30e15, 0.005e15);
}

// Causal attention counts half of 2 x heads x (192 + 128) FLOPs per pair of tokens.
TEST(DeepSeekV3, CountsCausalAttentionByHalf) {
  EXPECT_EQ(cost_of(layer_stack(deepseek_v3()).layers[9]).mixing_per_pair, Flops(128.0 * 320));
}

TEST(DeepSeekV3, PutsTheEmbeddingFirstAndTheHeadLast) {
  const LayerStack stack = layer_stack(deepseek_v3());
  const std::uint64_t table = std::uint64_t{129280} * 7168;
  EXPECT_EQ(cost_of(stack.layers[0]).parameters() - cost_of(stack.layers[1]).parameters(), table);
  EXPECT_EQ(cost_of(stack.layers[0]).weights_per_token,
            cost_of(stack.layers[1]).weights_per_token);  // a look-up is no product
  EXPECT_EQ(cost_of(stack.layers[60]).parameters() - cost_of(stack.layers[59]).parameters(), table + 7168);
}

TEST(DeepSeekV3, ExchangesTokensInSparseLayersOnly) {
  const LayerStack stack = layer_stack(deepseek_v3());
  EXPECT_EQ(stack.layers[2].all_to_alls, 0U);
  EXPECT_EQ(stack.layers[3].all_to_alls, 2U);
  EXPECT_EQ(stack.layers[3].routing.chosen, 8U);
  EXPECT_EQ(stack.layers[3].all_gathers, 2U);
  EXPECT_EQ(stack.layers[3].reduce_scatters, 2U);
}

// The checkpoint Qwen/Qwen3.5-9B holds 19,306,216,416 bytes (model.safetensors.index.json): text, vision and
// one multi-token-prediction layer. Parameters take 2 bytes, but 4 for the decay (32) and the gated norm
// (128) of each of 24 linear layers. The prediction layer has a full-attention layer, a product of 8192 x
// 4096 and three norms.
TEST(Qwen35, FillsThePublishedCheckpoint) {
  const LayerStack text = layer_stack(qwen3_5_9b_text());
  const std::uint64_t prediction = cost_of(text.layers[7]).parameters() + 8192U * 4096U + 3U * 4096U;
  const std::uint64_t parameters =
      whole(qwen3_5_9b_text()).parameters() + whole(qwen3_5_9b_vision()).parameters() + prediction;
  EXPECT_EQ(2 * parameters + 2 * 24 * (32 + 128), 19'306'216'416U);
}

TEST(Qwen35, HasFullAttentionInEveryFourthLayer) {
  const LayerStack stack = layer_stack(qwen3_5_9b_text());
  for (std::size_t i = 0; i < stack.layers.size(); ++i) {
    EXPECT_EQ(cost_of(stack.layers[i]).mixing_per_pair > Flops(0), i % 4 == 3) << i;
    EXPECT_EQ(cost_of(stack.layers[i]).mixing_per_token > Flops(0), i % 4 != 3) << i;
  }
  EXPECT_EQ(cost_of(stack.layers[3]).mixing_per_pair, Flops(16.0 * 512));  // half of 2 x 16 x (256 + 256)
  // 32 heads x (4 x 64 x 128 + 64 x 256 + 2 x 64 x 128 + 6 x 128 x 128)
  EXPECT_EQ(cost_of(stack.layers[0]).mixing_per_token, Flops(32.0 * 163'840));
}

// The tower has 27 blocks of 4 x 1152^2 + 2 x 1152 x 4304 + biases 4608 + 5456 + norms 4608: 411M.
TEST(Qwen35, HasAVisionTowerOf411MillionInItsBlocks) {
  const LayerStack stack = layer_stack(qwen3_5_9b_vision());
  EXPECT_EQ(cost_of(stack.layers[5]).parameters(), 5'308'416U + 9'916'416U + 4'608U + 5'456U + 4'608U);
  EXPECT_NEAR(27.0 * static_cast<double>(cost_of(stack.layers[5]).parameters()), 411e6, 1e6);
}

// Each operation of a layer of the vision tower moves its inputs and outputs once, 2 bytes each: two norms
// (2w each), qkv (w + 3w), rotary (2w + 2w), attention (3w + w), projection (2w), two residuals (3w each),
// MLP (w + 4w), its activation (4w + 4w), (4w + w).
TEST(Layer, CountsEveryOperandOnce) {
  const double width = 1280;
  const double elements = 2 * 2 + 4 + 4 + 4 + 2 + 2 * 3 + 5 + 8 + 5;
  EXPECT_DOUBLE_EQ(cost_of(layer_stack(qwen2_vl_vit(3584)).layers[3]).activations_per_token.value(),
                   2 * elements * width);
}

TEST(CheckArchitecture, AcceptsThePublishedOnes) {
  EXPECT_TRUE(check_architecture(Architecture(deepseek_v3())).empty());
  EXPECT_TRUE(check_architecture(Architecture(qwen2_vl_vit(7168))).empty());
  EXPECT_TRUE(check_architecture(Architecture(qwen3_5_9b_text())).empty());
  EXPECT_TRUE(check_architecture(Architecture(qwen3_5_9b_vision())).empty());
}

TEST(CheckArchitecture, ListsEverySizeThatCannotBe) {
  TextModel model = deepseek_v3();
  model.hidden_size = 0;
  model.num_hidden_layers = 4'000'000'000;
  model.experts->num_experts_per_tok = 300;
  const std::vector<Violation> violations = check_architecture(Architecture(model));
  ASSERT_EQ(violations.size(), 3U);
  EXPECT_EQ(violations[0], (Violation{"", "/hidden_size", "1 to 16777216", "0"}));
  EXPECT_EQ(violations[1], (Violation{"", "/num_hidden_layers", "1 to 100000", "4000000000"}));
  EXPECT_EQ(violations[2], (Violation{"", "/num_experts_per_tok", "at most 256", "300"}));
}

TEST(CheckArchitecture, WantsHeadsThatDivideTheWidth) {
  VisionTower vit = qwen2_vl_vit(3584);
  vit.num_heads = 17;
  const std::vector<Violation> violations = check_architecture(Architecture(vit));
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].pointer, "/num_heads");
}

}  // namespace
}  // namespace spillway
