// Gradient reductions, by hand. Gradients take 4 bytes, parameters 2.
#include "cost/reduction.h"

#include <gtest/gtest.h>

#include "small_job.h"

namespace spillway {
namespace {

StageParameters parameters(double tensor, double expert, double member) {
  StageParameters result;
  result.tensor = tensor;
  result.expert = expert;
  result.member = member;
  return result;
}

// Rank 0 of two, four replicas of two members: devices 0 to 7, one node of 2 us and 50 GB/s.
constexpr Holders kRankZero{RankId(0), RankId(0), 1};
constexpr Holders kBothRanks{RankId(0), RankId(1), 2};

Transfer reduction(const StageParameters& stage, const Parallelism& parallelism,
                   const Holders& holders = kRankZero) {
  SmallJob job;
  job.costs.parallelism = parallelism;
  return gradient_reduction(job.costs, {2, 4, parallelism.tensor}, holders, stage).total();
}

void expect_transfer(const Transfer& transfer, double payload, double alone) {
  EXPECT_NEAR(transfer.payload.value(), payload, 1e-9 * payload);
  EXPECT_NEAR(transfer.alone.value(), alone, 1e-9 * alone);
}

// Half of 1e6 gradients on each member, 2e6 bytes, round four replicas: 6 steps of 2 us and 5e5 B / 50 GB/s.
TEST(GradientReduction, IsARingOverTheReplicas) {
  expect_transfer(reduction(parameters(1e6, 0, 0), sizes(2, 1)), 1.5 * 2e6, 6 * (2e-6 + 5e5 / 50e9));
}

// Zero1: three steps with gradients, three with parameters of half the size.
TEST(GradientReduction, ScattersAndGathersWithZero1) {
  expect_transfer(reduction(parameters(1e6, 0, 0), sizes(2, 1, DataParallel::Zero1)), 0.75 * 3e6,
                  3 * (2e-6 + 5e5 / 50e9) + 3 * (2e-6 + 2.5e5 / 50e9));
}

// Experts over 4 of the 8 devices: a quarter of them on each, 1e6 gradients in 4e6 bytes, and one other copy.
TEST(GradientReduction, TakesExpertsOverTheirCopiesAlone) {
  expect_transfer(reduction(parameters(0, 4e6, 0), sizes(2, 4)), 4e6, 2 * (2e-6 + 2e6 / 50e9));
  expect_transfer(reduction(parameters(0, 4e6, 0), sizes(2, 8)), 0, 0);  // one copy: nothing to reduce
}

// Experts within a rank: with tensor parallelism 4 and groups of 2, each rank and replica has two copies.
TEST(GradientReduction, FindsCopiesOfExpertsInsideARank) {
  SmallJob job;
  job.costs.parallelism = sizes(4, 2);
  const Transfer one_replica =
      gradient_reduction(job.costs, {2, 1, 4}, {RankId(0), RankId(0), 1}, parameters(0, 2e6, 0)).total();
  expect_transfer(one_replica, 4e6, 2 * (2e-6 + 2e6 / 50e9));
}

// 2e6 bytes among devices 0, 2, ..., 14 in two nodes: scattered in rings of four inside, reduced between the
// nodes in quarters, gathered in rings of four.
constexpr double kOverTwoNodes = 6 * (2e-6 + 5e5 / 50e9) + 2 * (10e-6 + 2.5e5 / 10e9);

// An encoder lies whole on both members of every rank: they scatter 4e6 bytes between them (1 us + 2e6 B /
// 100 GB/s) and gather them again; between, half is reduced over the 8 copies on 2 ranks x 4 replicas.
TEST(GradientReduction, ReducesAnEncoderInsideTheRankFirst) {
  const double inside = 2 * (1e-6 + 2e6 / 100e9);
  expect_transfer(reduction(parameters(0, 0, 1e6), sizes(2, 1), kBothRanks), 2e6 / 4, inside + kOverTwoNodes);
}

// Where both members encode all images they have the same gradients: all-reduced between them (two steps of
// 2e6 bytes), then all of them go round the replicas, 4e6 bytes on each member.
TEST(GradientReduction, KeepsAnEncoderThatEncodesAllImagesAlike) {
  StageParameters encoder;
  encoder.repeated = 1e6;
  const double inside = 2 * (1e-6 + 2e6 / 100e9);
  expect_transfer(reduction(encoder, sizes(2, 1)), 1.5 * 4e6, inside + 6 * (2e-6 + 1e6 / 50e9));
}

// Half on each member, over the replicas alone; with ZeRO-3 as with ZeRO-1, since nothing of an encoder is
// scattered or gathered in its passes.
TEST(GradientReduction, OfASplitEncoderIsAsOfTheBackboneUpToZero1) {
  StageParameters encoder;
  encoder.split = 1e6;
  const auto reduced = [](StageParameters of, DataParallel data) { return reduction(of, sizes(2, 1, data)); };
  const auto expect_same = [](const Transfer& a, const Transfer& b) {
    EXPECT_EQ(a.payload, b.payload);
    EXPECT_EQ(a.alone, b.alone);
  };
  for (const DataParallel data : {DataParallel::Plain, DataParallel::Zero1})
    expect_same(reduced(encoder, data), reduced(parameters(1e6, 0, 0), data));
  expect_same(reduced(encoder, DataParallel::Zero3), reduced(encoder, DataParallel::Zero1));
}

// A stage with a copy on the other rank: twice the copies, over both nodes' devices. Each node's four devices
// share the way to the other, 2 x 1/2 of 2e6 bytes.
TEST(GradientReduction, MeetsTheCopyOnAnotherRank) {
  expect_transfer(reduction(parameters(1e6, 0, 0), sizes(2, 1), kBothRanks), 2e6 / 4, kOverTwoNodes);
  expect_transfer(reduction(parameters(0, 4e6, 0), sizes(2, 8), kBothRanks), 0.5e6 * 4,
                  2 * (10e-6 + 1e6 / 10e9));
}

TEST(GradientReduction, IsNothingWithoutCopies) {
  SmallJob job;
  const Transfer transfer =
      gradient_reduction(job.costs, {2, 1, 1}, {RankId(1), RankId(1), 1}, parameters(1e6, 1e6, 1e6)).total();
  expect_transfer(transfer, 0, 0);
}

Transfer priced_reduction(const SmallJob& job, const Derived& derived, std::uint32_t region) {
  for (const Event& event : derived.order.events()) {
    if (event.kind == EventKind::DpReduce && derived.stage(event.stage).region == RegionId(region)) {
      return job.priced(derived).transfer(event, ReplicaId(0));
    }
  }
  return {};
}

// Two replicas side by side: each passes all of the stage's gradients on once, 4 bytes each. Only the
// trainable block's layers of a stage that it shares count.
TEST(GradientReduction, CountsTrainableLayersOnly) {
  SmallJob job;
  job.pipeline = {1, 2, 2};
  const auto total = [](const LayerStack& stack) {
    return static_cast<double>(cost_of(stack.layers).parameters());
  };
  const double encoder = total(layer_stack(small_vit()));
  const double backbone = total(layer_stack(small_deepseek()));
  const Derived both = job.derive_as("1f1b", {});
  EXPECT_NEAR(priced_reduction(job, both, 0).payload.value(), 4 * (encoder + backbone), 1e-6);
  job.encoder_trainable = false;
  const Derived backbone_alone = job.derive_as("1f1b", {});
  EXPECT_NEAR(priced_reduction(job, backbone_alone, 0).payload.value(), 4 * backbone, 1e-6);
}

// A transposed encoder on 2 ranks x 2 replicas, a pair of devices each: 2 x 1/2 of its gradients over the two
// ports of a pair.
TEST(GradientReduction, SpansTheRanksOfATransposedRegion) {
  SmallJob job;
  job.pipeline = {2, 2, 2};
  const double encoder = static_cast<double>(cost_of(layer_stack(small_vit()).layers).parameters());
  const Derived derived = job.derive_as("transpose,1f1b", {{2}});
  EXPECT_NEAR(priced_reduction(job, derived, 0).payload.value(), 0.5 * 4 * encoder, 1e-6);
}

// What a host takes for the tensors that its device updates, one second each, of the miniature of DeepSeek-V3
// on one rank.
double updated_by(DataParallel data, std::uint32_t replicas, std::uint32_t expert) {
  SmallJob job;
  job.encoder_trainable = false;
  job.pipeline = {1, 2, replicas};
  job.costs.parallelism = sizes(1, expert, data);
  const Derived derived = job.derive_as("1f1b", {});
  const Transfer without = priced_reduction(job, derived, 0);
  job.costs.framework.update = chosen(Seconds(1));
  const Transfer with = priced_reduction(job, derived, 0);
  EXPECT_NEAR((with.update - without.update).value(), (with.alone - without.alone).value(), 1e-9);
  return (with.alone - without.alone).value();
}

// Latent attention has 5 products and 2 norms, a layer 2 norms; one layer has 2 products, three have a router
// with its bias, 2 of the shared expert and 2 of each of 8; embedding, last norm, logits.
TEST(Update, TakesTheHostLongerForEachTensor) {
  const double dense = 4 * (5 + 2 + 2) + 2 + 3 * (2 + 2) + 3, experts = 3 * 8 * 2;
  EXPECT_NEAR(updated_by(DataParallel::Plain, 2, 1), dense + experts, 1e-9);
  EXPECT_NEAR(updated_by(DataParallel::Plain, 2, 2), dense + experts / 2, 1e-9);
  EXPECT_NEAR(updated_by(DataParallel::Zero1, 2, 1), (dense + experts) / 2, 1e-9);
  EXPECT_NEAR(updated_by(DataParallel::Zero1, 2, 2), dense / 2 + experts / 2, 1e-9);
  EXPECT_NEAR(updated_by(DataParallel::Zero1, 4, 2), dense / 4 + experts / 2 / 2, 1e-9);
}

// A stage without copies is updated, with nothing to reduce before.
TEST(Update, IsAllThereIsWithoutCopies) {
  SmallJob job;
  job.pipeline = {2, 2, 1};
  job.costs.platform.accelerator.memory_bandwidth = chosen(BytesPerSecond(1e9));
  const Transfer alone = priced_reduction(job, job.derive_as("1f1b", {}), 0);
  EXPECT_GT(alone.update, Seconds());
  EXPECT_EQ(alone.alone, alone.update);
  EXPECT_EQ(alone.payload, Bytes());
}

// How fast anything is changes how long a reduction takes, never what it puts on a port; a sweep is no
// exception.
TEST(GradientReduction, LoadsAPortWithTheSameAtEverySpeed) {
  for (const DataParallel data : {DataParallel::Plain, DataParallel::Zero1, DataParallel::Zero2}) {
    SmallJob job;
    job.costs.parallelism = sizes(2, 4, data);
    job.costs.platform.tiers[1].collectives = {
        {CollectiveOperation::AllReduce,
         4,
         1,
         {{{Bytes(1e3), microseconds(20)}, {Bytes(1e7), milliseconds(1)}}, Evidence::Measured, "test"}}};
    const auto reduced = [&] {
      return gradient_reduction(job.costs, {2, 4, 2}, kRankZero, parameters(1e6, 4e6, 1e5)).total();
    };
    const Transfer fast = reduced();
    for (Tier& tier : job.costs.platform.tiers) tier.bandwidth.value = tier.bandwidth.value / 7;
    const Transfer slow = reduced();
    for (NetworkPort& port : job.costs.platform.ports) port.bandwidth.value = port.bandwidth.value / 7;
    const Transfer slowest = reduced();
    EXPECT_EQ(slow.payload, fast.payload);
    EXPECT_EQ(slowest.payload, fast.payload);
    EXPECT_GE(slow.alone, fast.alone);
    EXPECT_GE(slowest.alone, slow.alone);
  }
}

}  // namespace
}  // namespace spillway
