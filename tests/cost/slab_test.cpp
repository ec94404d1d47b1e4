// Forwards and backwards of slabs, by hand. FLOPs of the small job:
//   encoder, per patch: a layer 2 (4 x 64 + 2 x 8 x 16) = 1024, twice; patch embedding 2 x 4 x 8 = 64; merger
//     2 (32 x 32 + 32 x 16) / 4 = 768; together 2880. Per pair 2 x 2 x 8 = 32 a layer: 64. An image of 16
//     patches 2880 x 16 + 64 x 256 = 62464, one of 4 11520 + 1024 = 12544.
//   backbone, per token: attention 2 (128 + 256 + 192 + 256 + 256) = 2176 a layer; dense MLP 2 x 1536; sparse
//     2 (384 + 128 + 768); head 2 x 1024; together 21504. Per pair 4 x (8 + 4) = 48 a layer: 192. 10 tokens
//     215040 + 19200 = 234240, of which 19200 between activations.
// A backward takes twice the products with weights and 2.5 times attention, since it recomputes the scores.
#include <gtest/gtest.h>

#include <cmath>

#include "small_job.h"
#include "support/property.h"

namespace spillway {
namespace {

constexpr double kEncoder = 0.062464 + 0.012544;  // both images on one device
constexpr double kBackbone = 0.234240;
constexpr double kEncoderAttention = 64 * (256 + 16) * 1e-6;  // of kEncoder
constexpr double kBackboneAttention = 0.019200;               // of kBackbone
constexpr double kEncoderBackward = 2 * kEncoder + kEncoderAttention / 2;
constexpr double kBackboneBackward = 2 * kBackbone + kBackboneAttention / 2;

// With two members, the one with the image of 16 patches limits the encoder.
constexpr double kBusiest = 0.062464;
constexpr double kBusiestBackward = 2 * kBusiest + 64 * 256 * 1e-6 / 2;
// A gather or scatter moves 10 x 16 x 2 = 320 bytes over the pair. A forward has 9 of each: four attentions,
// a dense MLP, three shared experts, and the ends of the vocabulary.
constexpr double kGather = 1e-6 + 160 / 100e9;

SmallJob whole_model_on_one_rank() {
  SmallJob job;
  job.pipeline = {1, 2, 1};
  return job;
}

TEST(Slab, TakesTheFlopsOfItsLayers) {
  const SmallJob job = whole_model_on_one_rank();
  const Derived derived = job.derive_as("1f1b", {});
  const AnalyticCostModel model = job.priced(derived);
  EXPECT_NEAR(forward_of(model, 0), kEncoder + kBackbone, 1e-12);
  EXPECT_NEAR(backward_of(model, 0), kEncoderBackward + kBackboneBackward, 1e-12);
}

TEST(Slab, HasAnEfficiencyForEachBlock) {
  SmallJob job = whole_model_on_one_rank();
  job.costs.blocks[0].efficiency.compute = 0.5;
  job.costs.blocks[1].efficiency.compute = 0.25;
  const Derived derived = job.derive_as("1f1b", {});
  EXPECT_NEAR(forward_of(job.priced(derived), 0), 2 * kEncoder + 4 * kBackbone, 1e-12);
}

// Returns the bytes that a block's forward reads and writes: each operation's activations, and the weights of
// its products, including all experts'. Parameters of norms and biases are not counted.
double forward_bytes(const LayerStack& stack, double tokens) {
  double bytes = 0;
  for (const Layer& layer : stack.layers) {
    for (const Operator& op : layer.operators)
      bytes += op.traffic_per_token.value() * tokens + 2.0 * static_cast<double>(op.groups * op.k * op.n);
  }
  return bytes;
}

// At 1 B/s achieved out of 2, every operator is bound by memory.
TEST(Slab, WaitsForMemoryWhereThatTakesLonger) {
  SmallJob job = whole_model_on_one_rank();
  job.costs.platform.accelerator.memory_bandwidth = chosen(BytesPerSecond(2));
  job.costs.blocks[0].efficiency.memory = 0.5;
  job.costs.blocks[1].efficiency.memory = 0.5;
  const Derived derived = job.derive_as("1f1b", {});
  EXPECT_NEAR(forward_of(job.priced(derived), 0),
              forward_bytes(layer_stack(small_vit()), 20) + forward_bytes(layer_stack(small_deepseek()), 10),
              1e-6);
}

// Each of two members has half the backbone and one of the images of 16 and 4 patches. The backward exposes
// the gathers of output gradients and hides its scatters and the gathers of kept inputs.
TEST(Slab, SharesTokensByTensorParallelismAndImagesWhole) {
  SmallJob job = whole_model_on_one_rank();
  job.costs.parallelism.tensor = 2;
  const Derived derived = job.derive_as("1f1b", {});
  EXPECT_NEAR(forward_of(job.priced(derived), 0), kBusiest + kBackbone / 2 + 18 * kGather, 1e-12);
  EXPECT_NEAR(backward_of(job.priced(derived), 0), kBusiestBackward + kBackboneBackward / 2 + 9 * kGather,
              1e-12);
}

// With a split backward the input gradient's scatters have nothing to hide under.
TEST(Slab, SplitBackwardsExposeTheScatterOfTheInputGradient) {
  SmallJob job = whole_model_on_one_rank();
  job.costs.parallelism.tensor = 2;
  const Derived derived = job.derive_as("1f1b", {});
  const AnalyticCostModel model = job.priced(derived);
  const auto seconds = [&](Pass pass) {
    return model.pass(pass, StageId(0), MicrobatchId(0), ReplicaId(0)).value();
  };
  const double products = kBusiest - 64 * 256 * 1e-6 + (kBackbone - kBackboneAttention) / 2;
  const double attention = 64 * 256 * 1e-6 + kBackboneAttention / 2;
  EXPECT_NEAR(seconds(Pass::InputGradient), products + 2.5 * attention + 18 * kGather, 1e-12);
  EXPECT_NEAR(seconds(Pass::WeightGradient), products, 1e-12);
}

// Experts over two replicas of two members make 6 exchanges of (10 / 2) x 2 x 16 x 2 = 320 bytes among four
// devices of a node. A quarter goes to the neighbour over the bridge; a quarter to each of two others goes
// over one port of 50 GB/s, which takes longer.
TEST(Slab, ExchangesTokensAcrossJoinedReplicas) {
  SmallJob job = whole_model_on_one_rank();
  job.pipeline.replicas = 2;
  job.costs.parallelism.tensor = 2;
  job.costs.parallelism.expert = 4;
  const Derived derived = job.derive_as("1f1b", {});
  const double exchanges = 6 * (2e-6 + 2 * 80 / 50e9);
  EXPECT_NEAR(forward_of(job.priced(derived), 0), kBusiest + kBackbone / 2 + 18 * kGather + exchanges, 1e-12);
  EXPECT_EQ(joined_replicas(job.costs), (std::vector<std::uint32_t>{1, 2}));
}

TEST(Slab, ComputesNothingForMicrobatchesWithoutImages) {
  const SmallJob job;
  const Derived derived = job.derive_as("transpose,1f1b", {{2}});
  EXPECT_EQ(forward_of(job.priced(derived), 0, 1), 0);
  EXPECT_EQ(backward_of(job.priced(derived), 0, 1), 0);
}

// The fixed time is paid once per microbatch, with images or without: half in each of the encoder's two
// layers.
TEST(Slab, SpreadsTheFixedTimeOverTheLayersForwards) {
  SmallJob job;
  const Derived derived = job.derive_as("1f1b", {}, {1, 5}), whole = job.derive_as("1f1b", {}, {2, 4});
  const double first = forward_of(job.priced(derived), 0), both = forward_of(job.priced(whole), 0);
  const double second = forward_of(job.priced(derived), 1), backward = backward_of(job.priced(derived), 0);
  job.costs.blocks[0].fixed_per_microbatch = Seconds(0.25);
  EXPECT_NEAR(forward_of(job.priced(derived), 0), first + 0.125, 1e-12);
  EXPECT_NEAR(forward_of(job.priced(derived), 1), second + 0.125, 1e-12);
  EXPECT_NEAR(forward_of(job.priced(derived), 0, 1), 0.125, 1e-12);
  EXPECT_NEAR(forward_of(job.priced(whole), 0), both + 0.25, 1e-12);
  EXPECT_EQ(backward_of(job.priced(derived), 0), backward);
}

// If so configured, the stage with the encoder's first layer pays the fixed time.
TEST(Slab, AddsTheFixedTimeToTheFirstLayersForward) {
  SmallJob job;
  job.costs.blocks[0].fixed_in = FixedIn::FirstLayer;
  const Derived derived = job.derive_as("1f1b", {}, {1, 5});
  const double first = forward_of(job.priced(derived), 0);
  const double rest = forward_of(job.priced(derived), 1);
  const double backward = backward_of(job.priced(derived), 0);
  job.costs.blocks[0].fixed_per_microbatch = Seconds(0.25);
  EXPECT_NEAR(forward_of(job.priced(derived), 0), first + 0.25, 1e-12);
  EXPECT_NEAR(forward_of(job.priced(derived), 0, 1), 0.25, 1e-12);
  EXPECT_EQ(forward_of(job.priced(derived), 1), rest);
  EXPECT_EQ(backward_of(job.priced(derived), 0), backward);
}

// A frozen encoder costs no backward on its own stages, in a stage shared with the backbone, or transposed.
TEST(Backward, IsNothingForAFrozenEncoderWhereverItIs) {
  SmallJob job;
  job.encoder_trainable = false;
  const Derived own = job.derive_as("1f1b", {}, {2, 4});
  EXPECT_EQ(backward_of(job.priced(own), 0), 0);
  EXPECT_NEAR(backward_of(job.priced(own), 1), kBackboneBackward, 1e-12);

  const Derived transposed = job.derive_as("transpose,1f1b", {{2}});
  EXPECT_EQ(backward_of(job.priced(transposed), 0), 0);
  EXPECT_EQ(backward_of(job.priced(transposed), 1), 0);

  const Derived mixed = job.derive_as("1f1b", {}, {3, 3});
  const double both = backward_of(job.priced(mixed), 0) + backward_of(job.priced(mixed), 1);
  EXPECT_NEAR(both, kBackboneBackward, 1e-12);

  job.costs.blocks[0].recompute = Recompute::Full;
  EXPECT_EQ(backward_of(job.priced(own), 0), 0);
}

// A frozen backbone behind a trainable encoder computes products with weights once, attention in full.
TEST(Backward, PassesThroughAFrozenBackbone) {
  SmallJob job;
  job.backbone_trainable = false;
  const Derived derived = job.derive_as("1f1b", {}, {2, 4});
  EXPECT_NEAR(backward_of(job.priced(derived), 0), kEncoderBackward, 1e-12);
  EXPECT_NEAR(backward_of(job.priced(derived), 1), 0.215040 + 2.5 * kBackboneAttention, 1e-12);
}

// Selective recomputation repeats attention's forward; its backward computes the scores anyway. Full
// recomputation repeats the layers' forward with its exposed collectives, but not the patch embedding, the
// merger, the head and the collectives around the vocabulary.
TEST(Backward, RecomputesAsAsked) {
  SmallJob job = whole_model_on_one_rank();
  job.costs.parallelism.tensor = 2;
  job.costs.blocks[1].recompute = Recompute::Selective;
  const Derived derived = job.derive_as("1f1b", {});
  const double neither = kBusiestBackward + kBackboneBackward / 2 + 9 * kGather;
  EXPECT_NEAR(backward_of(job.priced(derived), 0), neither + kBackboneAttention / 2, 1e-12);

  job.costs.blocks[0].recompute = Recompute::Full;
  job.costs.blocks[1].recompute = Recompute::Full;
  const double ends = (64 + 768) * 16e-6 + 2 * 1024 * 10e-6 / 2;
  const double full = neither + kBusiest + kBackbone / 2 - ends + 16 * kGather;
  EXPECT_NEAR(backward_of(job.priced(derived), 0), full, 1e-12);
}

// However layers are assigned to ranks, their work is the same.
RC_GTEST_PROP(Slab, SumsToTheModelUnderAnySplit, ()) {
  SmallJob job;
  const auto first = *rc::gen::inRange<std::uint32_t>(1, 6);
  const Derived derived = job.derive_as("1f1b", {}, {first, 6 - first});
  const AnalyticCostModel model = job.priced(derived);
  const double total = forward_of(model, 0) + forward_of(model, 1);
  RC_ASSERT(std::abs(total - (kEncoder + kBackbone)) < 1e-12);
}

}  // namespace
}  // namespace spillway
