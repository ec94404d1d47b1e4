// Memory that devices hold, against the literature and by hand. Elements are two bytes.
#include <gtest/gtest.h>

#include "cost/layers/vision.h"
#include "cost/slabs/slab_footprint.h"
#include "published_models.h"
#include "small_job.h"
#include "support/property.h"

namespace spillway {
namespace {

// A GPT layer is a layer of the vision towers: pre-norm, biases, an MLP of 4h. Korthikanti et al. 2022, table
// 2, counts 34 h bytes per token; no layer here has its two dropout masks of h bytes. Fused attention keeps
// an FP32 number per head instead of the scores, 5 a s.
TEST(Kept, IsKorthikantisForAGptLayer) {
  for (const std::uint32_t h : {1024U, 2304U, 4096U}) {
    const std::uint32_t a = h / 64;
    const LayerCost layer = cost_of(vision_layer(h, a, 4 * h));
    EXPECT_EQ(layer.kept.for_backward, Bytes(34.0 * h - 2.0 * h + 4.0 * a));
  }
}

// Zero Bubble (Qi et al. 2024), table 1: 32 h bytes wait for the weight gradient.
TEST(Kept, BetweenTheGradientsIsZeroBubbles) {
  EXPECT_EQ(cost_of(vision_layer(4096, 32, 4 * 4096)).kept.between_gradients, Bytes(32.0 * 4096));
}

// The kept elements are two norms' inputs, q, k, v, attention's output and the MLP's 4h before its
// activation: 10 h.
TEST(Kept, FrozenProductsKeepNoInput) {
  EXPECT_EQ(cost_of(vision_layer(4096, 32, 4 * 4096)).kept.for_input_gradient, Bytes(20.0 * 4096 + 4 * 32));
}

// Korthikanti et al. 2022, section 4.3: norm and product keep 2 h bytes each and the loss 4 v; a fused loss
// keeps the logits alone.
TEST(Kept, OfTheHeadIsKorthikantis) {
  Layer layer = head(4096, 50304, rms_norm(4096));
  EXPECT_EQ(cost_of(layer).kept.for_backward, Bytes(4.0 * 4096 + 2.0 * 50304));
  keep_softmax(layer.operators.back());
  EXPECT_EQ(cost_of(layer).kept.for_backward, Bytes(4.0 * 4096 + 4.0 * 50304));
}

// Elements per token of a sparse layer:
//   attention  norm 7168, its output once for both down products 7168, q latent 1536 before and after its
//              norm, kv latent 512 before and after its norm, q and k 128 x 192 each, v and o 128 x 128 each
//   experts    norm 7168, its output once for router, shared and routed experts 7168, scores 256, shared
//              expert 2 x 2048 + 2048, eight copies of 7168 + 2 x 2048 + 2048
// and 128 FP32 statistics.
TEST(Kept, OfADeepSeekV3LayerByHand) {
  const LayerCost layer = cost_of(layer_stack(deepseek_v3()).layers[30]);
  const double attention = 2 * 7168 + 2 * 1536 + 2 * 512 + 2 * 128 * 192 + 2 * 128 * 128;
  const double experts = 2 * 7168 + 256 + 3 * 2048 + 8 * (7168 + 3 * 2048);
  EXPECT_EQ(layer.kept.for_backward, Bytes(2 * (attention + experts) + 4 * 128));
  EXPECT_EQ(layer.kept.for_backward, Bytes(455'680));
  // Inputs and outputs of q down, kv down, q up, kv up, out; router, shared up and down, routed up and down.
  const double products = 7168 + 1536 + 576 + (1536 + 24576) + (512 + 32768) + (16384 + 7168);
  const double sparse = 7168 + 256 + 4096 + (2048 + 7168) + 8.0 * (7168 + 4096 + 2048 + 7168);
  EXPECT_EQ(layer.kept.between_gradients, Bytes(2 * (products + sparse)));
}

// Full attention keeps norm and its output 4096 each, q and k 5120 before their norms, q, k, v 6144 after,
// output and gate 8192, their product 4096. Linear attention keeps norm and its output, 8192 before the
// convolution, the rule's 8256 and 64 x 32 of the chunks' inverses, output and gate 8192, their product 4096.
// Both keep the MLP's norm and output, 3 x 12288.
TEST(Kept, OfQwen35LayersByHand) {
  const std::vector<Layer> stack = layer_stack(qwen3_5_9b_text()).layers;
  const auto kept = [&](std::size_t layer) { return cost_of(stack[layer]).kept; };
  const double mlp = 2 * 4096 + 3 * 12288;
  EXPECT_EQ(kept(3).for_backward, Bytes(2 * (2 * 4096 + 5120 + 6144 + 8192 + 4096 + mlp) + 4 * 16));
  EXPECT_EQ(kept(3).for_input_gradient,
            Bytes(2 * (4096 + 5120 + 6144 + 4096 + 4096 + 4096 + 2 * 12288) + 4 * 16));
  EXPECT_EQ(kept(4).for_backward, Bytes(2 * (2 * 4096 + 8192 + 8256 + 2048 + 8192 + 4096 + mlp)));
}

// The norm runs on every patch, then four patches are joined. Each of the three inputs is as wide as a patch.
TEST(Kept, OfThePatchMergerIsPerPatch) {
  VisionTower tower;
  tower.hidden_size = 1280;
  tower.spatial_merge_size = 2;
  tower.out_hidden_size = 7168;
  EXPECT_EQ(cost_of(projector_of(tower)).kept.for_backward, Bytes(2 * 4 * 1280));
}

LayerCost some_parameters() {
  LayerCost cost;
  cost.dense_parameters = 800;
  cost.expert_parameters = 6400;
  return cost;
}

// With four members and eight copies, each device holds 200 dense parameters, sharded over eight. Experts are
// spread over 16 devices: 400 a device, on two of the 32.
TEST(ModelState, OfTokensIsSplitOverMembersAndExpertGroup) {
  Parallelism parallelism{.tensor = 4, .expert = 16};
  const auto state = [&](bool trained) {
    return model_state(some_parameters(), LoadUnit::Token, trained, parallelism, 8);
  };
  EXPECT_EQ(state(true), (ModelState{Bytes(2 * 600), Bytes(4 * 600), Bytes(12 * 600)}));
  parallelism.data = DataParallel::Zero1;
  EXPECT_EQ(state(true), (ModelState{Bytes(2 * 600), Bytes(4 * 600), Bytes(12 * (200.0 / 8 + 400.0 / 2))}));
  EXPECT_EQ(state(false), (ModelState{Bytes(2 * 600), Bytes(), Bytes()}));
}

// Context ranks hold the same parameters. 100 of the dense ones lie on every member.
TEST(ModelState, SharesOutByZeRoStageOverCopiesAndContext) {
  LayerCost cost = some_parameters();
  cost.unsplit_parameters = 100;
  Parallelism parallelism{.tensor = 4, .context = 2, .expert = 16};
  const double dense = 100 + 700 / 4.0, experts = 6400 / 16.0;
  const double shared = dense / 16 + experts / 4;  // 8 copies of 8 members, 4 expert groups
  const auto state = [&](DataParallel data) {
    parallelism.data = data;
    return model_state(cost, LoadUnit::Token, true, parallelism, 8);
  };
  const double whole = dense + experts;
  EXPECT_EQ(state(DataParallel::Plain), (ModelState{Bytes(2 * whole), Bytes(4 * whole), Bytes(12 * whole)}));
  EXPECT_EQ(state(DataParallel::Zero1), (ModelState{Bytes(2 * whole), Bytes(4 * whole), Bytes(12 * shared)}));
  EXPECT_EQ(state(DataParallel::Zero2),
            (ModelState{Bytes(2 * whole), Bytes(4 * shared), Bytes(12 * shared)}));
  EXPECT_EQ(state(DataParallel::Zero3),
            (ModelState{Bytes(2 * shared), Bytes(4 * shared), Bytes(12 * shared)}));
}

// Gradients and Adam's states take the bytes of their formats.
TEST(ModelState, HasTheFormatsOfItsStates) {
  Parallelism parallelism;
  parallelism.states = {Bytes(2), Bytes(2), Bytes(1)};
  LayerCost cost;
  cost.dense_parameters = 800;
  EXPECT_EQ(model_state(cost, LoadUnit::Token, true, parallelism, 1, Bytes(2)),
            (ModelState{Bytes(2 * 800), Bytes(2 * 800), Bytes(5 * 800)}));
}

// Muon keeps main parameters and one moment of matrices: 8 bytes instead of 12.
TEST(ModelState, UnderMuonLacksTheSecondMomentsOfMatrices) {
  LayerCost cost = some_parameters();
  cost.unsplit_parameters = 100;
  cost.dense_matrices = 500;
  cost.unsplit_matrices = 60;
  cost.expert_matrices = 6000;
  Parallelism parallelism{.tensor = 4, .expert = 16, .data = DataParallel::Zero1};
  const ModelState adam = model_state(cost, LoadUnit::Token, true, parallelism, 8);
  parallelism.states.newton_schulz_steps = 5;
  const ModelState muon = model_state(cost, LoadUnit::Token, true, parallelism, 8);
  const double matrices = (60 + 440 / 4.0) / 8 + 6000 / 16.0 / 2;
  EXPECT_EQ(muon.of_matrices, Bytes(8 * matrices));
  EXPECT_DOUBLE_EQ(muon.optimizer.value(), adam.optimizer.value() - 4 * matrices);
  EXPECT_EQ(muon.parameters, adam.parameters);
  EXPECT_EQ(muon.gradients, adam.gradients);
}

// Products of the same shape share one placeholder, and so do the experts of a layer.
TEST(GradientPlaceholders, AreOnePerShapeOnTheDevice) {
  WeightShapes shapes;
  const std::vector<Layer> layers = {linear("up", 8, 12, Share::Columns) + linear("down", 12, 8, Share::Rows),
                                     linear("up", 8, 12, Share::Columns), routed_experts(8, 3, 4, 2),
                                     embedding(1000, 8)};
  add_weight_shapes(shapes, layers, LoadUnit::Token, {.tensor = 2});
  // 6 x 8 twice, also for an expert's gate and up; 8 x 6; the router's 4 x 8; an expert's 8 x 3.
  EXPECT_EQ(gradient_placeholders(shapes), Bytes(2 * (48 + 48 + 32 + 24)));
}

TEST(ModelState, OfPatchesLiesWholeOnEveryMember) {
  LayerCost cost;
  cost.dense_parameters = 800;
  const Parallelism parallelism{.tensor = 4, .data = DataParallel::Zero1};
  EXPECT_EQ(model_state(cost, LoadUnit::Patch, true, parallelism, 10),
            (ModelState{Bytes(2 * 800), Bytes(4 * 800), Bytes(12 * 800 / 40.0)}));
}

Bytes kept_by(const Architecture& architecture, std::size_t first, std::size_t end) {
  Bytes total;
  for (std::size_t i = first; i < end; ++i)
    total += cost_of(layer_stack(architecture).layers[i]).kept.for_backward;
  return total;
}

// The images have 4 and 16 patches. A single member holds both; the busier of two holds the 16. The members
// share ten tokens.
TEST(AnalyticMemory, HoldsTheBusiestMembersImagesAndAShareOfTheTokens) {
  for (const std::uint32_t members : {1U, 2U}) {
    SmallJob job;
    job.costs.parallelism.tensor = members;
    const Derived derived = job.derive_as("transpose,1f1b", {{2}});
    const AnalyticCostModel model = job.priced(derived);
    const auto held = [&](std::uint32_t stage, std::uint32_t microbatch) {
      return model.held(StageId(stage), MicrobatchId(microbatch), ReplicaId(0)).activations.value();
    };
    const double encoder = kept_by(small_vit(), 0, 2).value();
    const double first = kept_by(small_deepseek(), 0, 2).value();
    EXPECT_DOUBLE_EQ(held(0, 0), encoder * (members == 1 ? 20 : 16));
    EXPECT_DOUBLE_EQ(held(1, 0), held(0, 0));
    EXPECT_EQ(held(0, 1), 0);
    EXPECT_DOUBLE_EQ(held(2, 0), first * 10 / members);
    EXPECT_DOUBLE_EQ(held(2, 1), first * 20 / members);
  }
}

// Recomputed in full, the two encoder layers keep inputs of 8 elements and the 2 backbone layers inputs of
// 16. The patch embedding also keeps its input of 4. The merger keeps a quarter of four times 32 per patch:
// the inputs of its norm, its two products and the activation between them.
TEST(AnalyticMemory, KeepsTheInputsOfRecomputedLayers) {
  SmallJob job;
  job.costs.blocks[0].recompute = Recompute::Full;
  job.costs.blocks[1].recompute = Recompute::Full;
  const Derived derived = job.derive_as("transpose,1f1b", {{2}});
  const AnalyticCostModel model = job.priced(derived);
  const Held encoder = model.held(StageId(0), MicrobatchId(0), ReplicaId(0));
  const Held backbone = model.held(StageId(2), MicrobatchId(0), ReplicaId(0));
  EXPECT_EQ(encoder.activations, Bytes((2 * 2 * 8 + 2 * (4 + 4 * 8)) * 20));
  EXPECT_EQ(backbone.activations, Bytes(2 * 2 * 16 * 10));
  EXPECT_GT(backbone.recomputed, Bytes());
}

// A transposed encoder lies on both ranks, so it has twice the copies of the same stage in a pipeline.
TEST(AnalyticMemory, CopiesOfAStageShareItsOptimizer) {
  SmallJob job;
  job.pipeline.replicas = 2;
  job.costs.parallelism.data = DataParallel::Zero1;
  const Derived transposed = job.derive_as("transpose,1f1b", {{2}});
  const Derived sharded = job.derive_as("1f1b", {}, {2, 4});
  const ModelState copied = job.priced(transposed).model_state(StageId(1));
  const ModelState alone = job.priced(sharded).model_state(StageId(0));
  EXPECT_EQ(copied.parameters, alone.parameters);
  EXPECT_EQ(copied.optimizer, alone.optimizer / 2);
  EXPECT_EQ(alone.optimizer, alone.parameters * 6 / 2);
}

TEST(AnalyticMemory, AFrozenEncoderHasParametersAlone) {
  SmallJob job;
  job.encoder_trainable = false;
  const Derived derived = job.derive_as("transpose,1f1b", {{2}});
  const AnalyticCostModel model = job.priced(derived);
  const Held held = model.held(StageId(0), MicrobatchId(0), ReplicaId(0));
  EXPECT_EQ(held.activations + held.for_weight_gradient + held.recomputed + held.backward_workspace, Bytes());
  EXPECT_GT(held.forward_workspace, Bytes());
  const ModelState state = model.model_state(StageId(0));
  EXPECT_GT(state.parameters, Bytes());
  EXPECT_EQ(state.gradients + state.optimizer, Bytes());
}

// However layers are assigned to ranks, the ranks hold the same in total.
RC_GTEST_PROP(AnalyticMemory, SumsToTheModelUnderAnySplit, ()) {
  const SmallJob job;
  const auto first = *rc::gen::inRange<std::uint32_t>(1, 6);
  const Derived derived = job.derive_as("1f1b", {}, {first, 6 - first});
  const AnalyticCostModel model = job.priced(derived);
  Held held;
  ModelState state;
  for (const StageId stage : {StageId(0), StageId(1)}) {
    held += model.held(stage, MicrobatchId(0), ReplicaId(0));
    state += model.model_state(stage);
  }
  const Bytes expected = kept_by(small_vit(), 0, 2) * 20 + kept_by(small_deepseek(), 0, 4) * 10;
  const double parameters =
      static_cast<double>(whole(small_vit()).parameters() + whole(small_deepseek()).parameters());
  RC_ASSERT(std::abs((held.activations - expected).value()) < 1e-6);
  RC_ASSERT(state == (ModelState{Bytes(2 * parameters), Bytes(4 * parameters), Bytes(12 * parameters)}));
}

// The device holds no optimizer states. Its update moves 12 bytes of each updated parameter over the link, in
// and out at once.
TEST(Footprint, OfASwappedOptimizerLiesInTheHost) {
  SmallJob job;
  const Derived derived = job.derive_as("1f1b", {});
  const AnalyticCostModel there = job.priced(derived);
  job.costs.platform.accelerator.host_link = gigabytes_per_second(1e-3);
  job.costs.parallelism.optimizer = OptimizerPlace::Swapped;
  const AnalyticCostModel swapped = job.priced(derived);
  const Event reduce{.kind = EventKind::DpReduce, .stage = StageId(1)};
  const ModelState before = there.model_state(StageId(1)), now = swapped.model_state(StageId(1));
  EXPECT_EQ(now.optimizer, Bytes());
  EXPECT_EQ(now.gradients, before.gradients);
  EXPECT_NEAR(swapped.transfer(reduce, ReplicaId(0)).alone.value(), before.optimizer.value() / 1e6, 1e-9);
}

// A quarter of the states lies in the host. Gradients in FP32 go there and FP32 parameters come back, after
// the device has updated its three quarters.
TEST(Footprint, OfAnOffloadedShareLiesInTheHost) {
  SmallJob job;
  const Derived derived = job.derive_as("1f1b", {});
  const AnalyticCostModel there = job.priced(derived);
  job.costs.platform.accelerator.host_link = gigabytes_per_second(1e-3);
  job.costs.parallelism.states.offloaded = 0.25;
  const AnalyticCostModel shared = job.priced(derived);
  const Event reduce{.kind = EventKind::DpReduce, .stage = StageId(1)};
  const ModelState before = there.model_state(StageId(1)), now = shared.model_state(StageId(1));
  EXPECT_EQ(now.optimizer, before.optimizer * 0.75);
  const double updated = before.optimizer.value() / 12;
  const Seconds more =
      shared.transfer(reduce, ReplicaId(0)).alone - there.transfer(reduce, ReplicaId(0)).alone;
  const OperatorTimes times(job.costs.platform.accelerator);
  const Seconds less = times.memory(Bytes((2 * 4 + 2 * 12 + 2) * 0.25 * updated), 0).time;
  EXPECT_NEAR((more + less).value(), 8 * 0.25 * updated / 1e6, 1e-9);
}

}  // namespace
}  // namespace spillway
