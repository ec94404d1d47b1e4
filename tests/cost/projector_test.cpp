// Projectors, stems and unused weights against sums written out here.
#include "cost/layers/projector.h"

#include <gtest/gtest.h>

#include "cost/layers/layer_cost.h"
#include "cost/layers/text_model.h"
#include "cost/layers/vision.h"

namespace spillway {
namespace {

constexpr double kMac = 2;  // FLOPs

double flops(const Layer& layer) {
  return cost_of(layer).weights_per_token.value();
}

// The products of activations with each other, which have no weights.
std::uint64_t weights_of_products(const Layer& layer) {
  std::uint64_t sum = 0;
  for (const Operator& op : layer.operators)
    if (is_product(op)) sum += op.parameters;
  return sum;
}

// GLM-4.5V's merger in small: four patches of 6 are joined by a convolution to 10, then 10 x 10 with a norm
// and an activation, and a gated feed-forward of 14. Each runs once a token.
TEST(ProjectorStages, RunOnceATokenByHand) {
  Projector projector = {.norm = Projector::Norm::None};
  projector.stages = {{.width = 10, .bias = true},
                      {.width = 10, .norm = NormKind::Layer, .activated = true},
                      {.width = 10, .gated_inner = 14}};
  const Layer layer = projector_layer(projector, {6, 4, 10});
  EXPECT_EQ(cost_of(layer).parameters(), 24u * 10 + 10 + 10 * 10 + 2 * 10 + 3 * 10 * 14);
  EXPECT_DOUBLE_EQ(flops(layer), kMac * (24 * 10 + 10 * 10 + 3 * 10 * 14) / 4);
  for (const Operator& op : layer.operators) EXPECT_TRUE(op.at_end);
}

// Step3's in small: a convolution of 2 x 2 patches of 6 to 8, one of 3 x 3 of its outputs to 16 for each
// token of 16 patches, and a product to 10.
TEST(ProjectorStages, OfFewerPatchesRunMoreOften) {
  Projector projector = {.norm = Projector::Norm::None};
  projector.stages = {{.width = 8, .reads = 4 * 6, .patches = 4, .bias = true},
                      {.width = 16, .reads = 9 * 8, .bias = true},
                      {.width = 10}};
  const Layer layer = projector_layer(projector, {6, 16, 10});
  EXPECT_EQ(cost_of(layer).parameters(), 24u * 8 + 8 + 72 * 16 + 16 + 16 * 10);
  EXPECT_DOUBLE_EQ(flops(layer), kMac * (24.0 * 8 / 4 + (72.0 * 16 + 16 * 10) / 16));
}

// Multiply-accumulates of a whole image, one product after the other: keys and values of every patch;
// queries, results and their projection of every query; and a score and a share of a result for every pair.
double resampling_of_an_image(double patches, double width, double out, double queries) {
  const double of_patches = patches * (width * out + out * 2 * out);
  const double of_queries = queries * 3 * out * out;
  return of_patches + of_queries + 2 * patches * queries * out;
}

TEST(Resamplers, CountEveryPairOfAnImage) {
  for (const std::uint32_t side : {1U, 2U, 4U}) {
    const std::uint32_t queries = 9, patches = queries * side * side;
    Projector projector = {.norm = Projector::Norm::None};
    projector.resampler = Resampler{queries, 2};
    const Layer layer = projector_layer(projector, {6, side * side, 8});
    EXPECT_DOUBLE_EQ(patches * flops(layer), kMac * resampling_of_an_image(patches, 6, 8, queries));
    EXPECT_EQ(weights_of_products(layer), 6u * 8 + (8 * 16 + 16) + (8 * 8 + 8) + (8 * 8 + 8) + 8 * 8);
    EXPECT_EQ(cost_of(layer).parameters(), weights_of_products(layer) + 3 * 2 * 8 + queries * 8);
  }
}

VisionTower small_tower() {
  VisionTower tower;
  tower.depth = 2;
  tower.hidden_size = 8;
  tower.intermediate_size = 20;
  tower.num_heads = 2;
  tower.in_channels = 3;
  tower.patch_size = tower.temporal_patch_size = 2;
  tower.spatial_merge_size = 1;
  tower.out_hidden_size = 10;
  tower.projector = {.norm = Projector::Norm::None, .inner = std::vector<std::uint32_t>()};
  return tower;
}

std::uint64_t weights_of(const VisionTower& tower) {
  std::uint64_t sum = 0;
  for (const Layer& layer : layers_of(tower)) sum += cost_of(layer).parameters();
  return sum;
}

double flops_of(const VisionTower& tower) {
  double sum = 0;
  for (const Layer& layer : layers_of(tower)) sum += flops(layer);
  return sum;
}

// A layer that nobody reads is the same weights, frozen, and nothing else.
TEST(UnusedLayers, AreWeightsAlone) {
  VisionTower all = small_tower(), used = small_tower();
  all.depth = 3;
  used.unused_layers = 1;
  used.unused_weights = 7;
  EXPECT_EQ(weights_of(used), weights_of(all) + 7);
  EXPECT_DOUBLE_EQ(flops_of(used), flops_of(small_tower()));
  const Operator unused = layers_of(used).back().operators.back();
  EXPECT_TRUE(unused.frozen);
  EXPECT_EQ(unused.traffic_per_token, Bytes(0));
}

// Towers without biases, with heads wider than the tower, and with norms of heads.
TEST(Towers, WithoutBiasesByHand) {
  VisionTower tower = small_tower();
  tower.qkv_bias = tower.output_bias = tower.mlp_bias = false;
  tower.gated = tower.each_head_normed = tower.output_norms = true;
  tower.norm = NormKind::Rms;
  tower.head_width = 6;
  const std::uint64_t layer = 8 * 36 + 12 * 8 + 2 * 6 + 3 * 8 * 20 + 4 * 8;
  EXPECT_EQ(weights_of(tower), 2 * layer + 24 * 8 + 8 * 10 + 10);
}

TEST(Towers, WithoutABiasOfKeysLackIt) {
  VisionTower with = small_tower(), without = small_tower();
  without.key_bias = false;
  EXPECT_EQ(weights_of(with) - weights_of(without), 2u * 8);
}

GroupedQueryAttention small_attention() {
  return {.num_attention_heads = 4, .num_key_value_heads = 2, .head_dim = 3};
}

std::uint64_t weights_of(const GroupedQueryAttention& attention) {
  return cost_of(attention_of(attention, 16, true)).parameters();
}

// 16 x 12 queries, 16 x 6 keys that are values, 12 x 16 out.
TEST(Attention, KeysThatAreValuesHaveOneProduct) {
  GroupedQueryAttention attention = small_attention();
  attention.values_of_keys = true;
  EXPECT_EQ(weights_of(attention), 16u * 12 + 16 * 6 + 12 * 16);
  EXPECT_EQ(weights_of(small_attention()) - weights_of(attention), 16u * 6);
}

// 16 x 5 with a norm, 5 x 12; keys and values 16 x 12.
TEST(Attention, QueriesOfALatentByHand) {
  GroupedQueryAttention attention = small_attention();
  attention.query_rank = 5;
  EXPECT_EQ(weights_of(attention), 16u * 5 + 5 + 5 * 12 + 16 * 12 + 12 * 16);
}

}  // namespace
}  // namespace spillway
