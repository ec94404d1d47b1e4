// Memory that a slab holds for a microbatch and while a pass runs, against the literature, by hand and by a
// walk over its operators. Elements are two bytes.
#include "cost/slabs/slab_memory.h"

#include <gtest/gtest.h>

#include "cost/layers/vision.h"
#include "small_slab.h"
#include "support/property.h"

namespace spillway {
namespace {

constexpr Gradients kInputOnly{.weight = false, .input = true};

// The operators between the two products of unfused attention.
Layer unfused_scores(std::uint32_t heads) {
  Layer layer = unfused_attention({heads, heads, 16, 16});
  layer.operators.erase(layer.operators.begin());
  return layer;
}

SlabMemory memory_of(const std::vector<Layer>& layers, std::uint32_t width, Gradients gradients,
                     const Recomputation& recompute, const Parallelism& parallelism = {},
                     LoadUnit unit = LoadUnit::Token) {
  return SlabMemory(layers, {unit, width, gradients, recompute}, parallelism);
}

constexpr DeviceLoad kOneToken{1, 1};

TEST(Held, FollowsTheRecomputation) {
  const std::vector<Layer> layers(3, vision_layer(64, 4, 256));
  const KeptPerToken kept = cost_of(layers[0]).kept;
  const auto held = [&](Gradients gradients, Recompute recompute) {
    return memory_of(layers, 64, gradients, recompute)(kOneToken);
  };
  const Held none = held(kBothGradients, Recompute::None);
  EXPECT_EQ(none.activations, 3 * kept.for_backward);
  EXPECT_EQ(none.for_weight_gradient, 3 * kept.between_gradients);
  EXPECT_EQ(none.recomputed, Bytes());
  EXPECT_EQ(held(kBothGradients, Recompute::Selective), none);
  const Held full = held(kBothGradients, Recompute::Full);
  EXPECT_EQ(full.activations, Bytes(3 * 2 * 64));
  EXPECT_EQ(full.for_weight_gradient, 3 * kept.between_gradients);
  EXPECT_EQ(full.recomputed, kept.for_backward - Bytes(2 * 64));
  EXPECT_EQ(held(kInputOnly, Recompute::None).activations, 3 * kept.for_input_gradient);
  EXPECT_EQ(held(kInputOnly, Recompute::None).for_weight_gradient, Bytes());
  const Held forward_alone = held({.weight = false, .input = false}, Recompute::Full);
  EXPECT_EQ(forward_alone.activations + forward_alone.recomputed + forward_alone.backward_workspace, Bytes());
}

// A layer of 512 is larger than one of 256; the head is no layer.
TEST(Held, NamesWhatIsNotOfTheLargestLayer) {
  const std::vector<Layer> layers = {vision_layer(64, 4, 256), vision_layer(64, 4, 512) + head(64, 999, {})};
  const Held held = memory_of(layers, 64, kBothGradients, Recompute::None)(kOneToken);
  EXPECT_EQ(held.activations - held.of_other_layers, cost_of(vision_layer(64, 4, 512)).kept.for_backward);
}

// Recomputation holds only the largest layer, and in a stage of several blocks one block at a time.
TEST(Held, RecomputesOneLayerAtATime) {
  const std::vector<Layer> layers = {vision_layer(64, 4, 256), vision_layer(64, 4, 512)};
  Held held = memory_of(layers, 64, kBothGradients, Recompute::Full)(kOneToken);
  EXPECT_EQ(held.recomputed, cost_of(layers[1]).kept.for_backward - Bytes(128));
  const Bytes most = held.recomputed, backward = held.recomputed + held.backward_workspace;
  held += {Bytes(1), Bytes(2), Bytes(3), Bytes(4), Bytes(5)};
  EXPECT_EQ(held.recomputed, most);
  EXPECT_EQ(held.activations, Bytes(2 * 128 + 1));
  EXPECT_EQ(held.recomputed + held.backward_workspace, backward);
  held += {Bytes(), Bytes(), Bytes(1), Bytes(1e9), Bytes(1e9)};
  EXPECT_EQ(held.recomputed + held.backward_workspace, Bytes(1e9 + 1));
  EXPECT_EQ(held.forward_workspace, Bytes(1e9));
}

// Korthikanti et al. 2022, equations 1, 2 and 4: without dropout outside attention a layer takes 32 s b h
// bytes, of which 8 s b h lie outside the sublayers. The scores, 5 a s^2 b, are split in either case.
TEST(Held, OfATensorParallelGptLayerIsKorthikantis) {
  const std::uint32_t h = 4096, a = 32, t = 8;
  Layer layer = vision_layer(h, a, 4 * h);
  for (Operator& op : layer.operators)
    if (op.kind == OperatorKind::Attention) op.kept.for_backward -= Bytes(4.0 * a);  // the FP32 statistic
  layer += unfused_scores(a);
  const double s = 2048;
  const auto held = [&](bool sequence_parallel, Recompute recompute) {
    Parallelism parallelism{.tensor = t};
    parallelism.sequence_parallel = sequence_parallel;
    return memory_of({layer}, h, kBothGradients, recompute, parallelism)({s, s * s}).activations.value();
  };
  EXPECT_DOUBLE_EQ(held(true, Recompute::None), s * h * 32 / t + 5 * a * s * s / t);
  EXPECT_DOUBLE_EQ(held(false, Recompute::None), s * h * (8 + 24.0 / t) + 5 * a * s * s / t);
  EXPECT_DOUBLE_EQ(held(true, Recompute::Selective), s * h * 32 / t);
  EXPECT_DOUBLE_EQ(held(false, Recompute::Selective), s * h * (8 + 24.0 / t));
}

// The backward recomputes one layer's scores at a time.
TEST(Held, SelectiveRecomputationBringsOneLayersScoresBack) {
  const std::vector<Layer> layers(3, vision_layer(64, 4, 256) + unfused_scores(4));
  const Held held = memory_of(layers, 64, kBothGradients, Recompute::Selective)({10, 100});
  EXPECT_EQ(held.recomputed, Bytes(5 * 4 * 100));
}

// In a layer of experts, the experts' part grows with the busiest rank's tokens; the rest does not.
TEST(Held, GrowsWithTheBusiestExperts) {
  const Layer experts = routed_experts(64, 32, 8, 2);
  const auto held = [&](double imbalance) {
    Parallelism parallelism{.tensor = 2, .expert = 4};
    parallelism.expert_imbalance = imbalance;
    return memory_of({experts}, 64, kBothGradients, Recompute::None, parallelism)(kOneToken)
        .activations.value();
  };
  const double routed = 2 * 2 * (64 + 2 * 32 + 32) / 2.0, router = 2 * (64 + 8) / 2.0;
  EXPECT_DOUBLE_EQ(held(1), routed + router);
  EXPECT_DOUBLE_EQ(held(1.5), 1.5 * routed + router);
}

// A product follows a norm; the backward begins with the product. It holds the norm's input and its own, its
// gradient of 12 elements gathered in and 6 out, and 8 along the residual. Activations count 16 of them
// already.
TEST(Workspace, IsWhatTheRunningOperatorNeedsBesideWhatIsHeld) {
  const Layer layer = rms_norm(8) + linear("up", 8, 12, Share::Columns);
  const Held alone = memory_of({layer}, 8, kBothGradients, Recompute::None)(kOneToken);
  EXPECT_EQ(alone.activations, Bytes(2 * 16));
  EXPECT_EQ(alone.backward_workspace, Bytes(2 * (8 + 12 + 8)));
  EXPECT_EQ(alone.forward_workspace, Bytes(2 * (8 + 12 - 8)));  // the product's input is not kept yet
  const Held of_two = memory_of({layer}, 8, kBothGradients, Recompute::None, {.tensor = 2})(kOneToken);
  EXPECT_EQ(of_two.activations, Bytes(2 * 8));
  EXPECT_EQ(of_two.backward_workspace, Bytes(2 * (8 + 6 + 4)));  // the input is gathered
}

// Alternate keeps the layer's input of 8 and half of the 12 outputs, and nothing of the norm.
TEST(Kept, ByAlternateAreInputsAndHalfOfTheProductsOutputs) {
  const Layer layer = rms_norm(8) + linear("up", 8, 12, Share::Columns);
  EXPECT_EQ(memory_of({layer}, 8, kBothGradients, Recompute::Alternate)(kOneToken).activations,
            Bytes(2 * (8 + 6)));
}

// Alternate keeps the layer's input of 64 and half of the router's 8 scores. What experts compute is made
// again. With expert parallelism it keeps what the two exchanges bring: 2 rows of 64 for a token, each.
TEST(Kept, ByAlternateAreNoProductsOfExpertsButExchanges) {
  const Layer experts = routed_experts(64, 32, 8, 2);
  const auto kept = [&](std::uint32_t devices) {
    return memory_of({experts}, 64, kBothGradients, Recompute::Alternate, {.expert = devices})(kOneToken)
        .activations;
  };
  EXPECT_EQ(kept(1), Bytes(2 * (64 + 8 / 2.0)));
  EXPECT_EQ(kept(4), Bytes(2 * (64 + 8 / 2.0 + 2 * 2 * 64)));
}

// A fused loss writes the gradient over the logits, so the head holds them once.
TEST(Workspace, OfAFusedLossIsNone) {
  const auto more = [](const Layer& layer) {
    const Held held = memory_of({layer}, 8, kBothGradients, Recompute::None)(kOneToken);
    return (held.activations + held.backward_workspace).value();
  };
  Layer unfused = head(8, 1000, rms_norm(8));
  keep_softmax(unfused.operators.back());
  EXPECT_EQ(more(head(8, 1000, rms_norm(8))), 2 * 8 * 2 + 2 * (8 + 1000 + 8));
  EXPECT_EQ(more(unfused), 2 * 8 * 2 + 4 * 1000 + 2 * (2 * 1000 + 8));
}

// An eager loss makes more tensors than its input and its output: 2.5 times their bytes in the forward,
// thrice in the gradient, beside the softmax that it keeps. The head's norm and product keep 32 bytes before
// it.
TEST(Workspace, OfSeveralKernelsIsAllTheirTensors) {
  Layer eager = head(8, 1000, rms_norm(8));
  Operator& loss = eager.operators.back();
  keep_softmax(loss);
  loss.forward_live = 2.5;
  loss.gradient_live = 3;
  const Held held = memory_of({eager}, 8, kBothGradients, Recompute::None)(kOneToken);
  EXPECT_EQ(held.activations, Bytes(32 + 4 * 1000));
  EXPECT_EQ(held.activations + held.forward_workspace, Bytes(32 + 2.5 * 4 * 1000));
  EXPECT_EQ(held.activations + held.backward_workspace, Bytes(32 + 4 * 1000 + 3 * 4 * 1000 + 2 * 8));
}

// Each layer has 8 x 12 parameters and a norm's 8; both members hold the norm's. Gathering takes 2 bytes a
// parameter and a gradient 4.
TEST(Workspace, OfZeRo3HoldsTwoGatheredLayersAndOneGradient) {
  const std::vector<Layer> layers(3, rms_norm(8) + linear("up", 8, 12, Share::Columns));
  const auto workspace = [&](DataParallel data) {
    return memory_of(layers, 8, kBothGradients, Recompute::None, {.tensor = 2, .data = data})(kOneToken);
  };
  const Held plain = workspace(DataParallel::Zero1);
  EXPECT_EQ(workspace(DataParallel::Plain), plain);
  const Bytes gathered(2 * 2 * (8 + 48)), gradient(4 * (8 + 48));
  const Held second = workspace(DataParallel::Zero2), third = workspace(DataParallel::Zero3);
  EXPECT_EQ(second.forward_workspace, plain.forward_workspace);
  EXPECT_EQ(second.backward_workspace, plain.backward_workspace + gradient);
  EXPECT_EQ(third.forward_workspace, plain.forward_workspace + gathered);
  EXPECT_EQ(third.backward_workspace, plain.backward_workspace + gradient + gathered);
}

// Walks the operators one by one at a given load and returns the most memory alive while any of them runs.
Bytes walked(const std::vector<Layer>& layers, double width, DeviceLoad load) {
  Bytes most, held;
  for (const Layer& layer : layers) {
    for (const Operator& op : layer.operators) {
      held += op.kept.for_backward * load.tokens + op.kept_per_pair * load.pairs;
      const Bytes passing = op.traffic_per_token * load.tokens + op.buffers_per_token * load.tokens +
                            (op.traffic_per_pair - op.kept_per_pair) * load.pairs;
      most = std::max(most, held + (op.in_place ? Bytes() : passing) + Bytes(2 * width * load.tokens));
    }
  }
  return most;
}

RC_GTEST_PROP(Workspace, IsTheWalksAtAnyLoad, ()) {
  std::vector<Layer> layers = {vision_layer(64, 4, *rc::gen::inRange(1U, 2000U)) + unfused_scores(4),
                               rms_norm(64) + routed_experts(64, *rc::gen::inRange(1U, 500U), 8, 2),
                               head(64, *rc::gen::inRange(1U, 5000U), rms_norm(64))};
  if (*rc::gen::arbitrary<bool>()) keep_softmax(layers.back().operators.back());
  const double tokens = *rc::gen::inRange(1, 5000);
  const DeviceLoad load{tokens, tokens * tokens};
  const Held held = memory_of(layers, 64, kBothGradients, Recompute::None)(load);
  const Bytes most = std::max(held.activations, walked(layers, 64, load));
  RC_ASSERT(std::abs((held.activations + held.backward_workspace) / most - 1) < 1e-9);
}

}  // namespace
}  // namespace spillway
