// Gradient reductions by hand. Gradients take 4 bytes, parameters 2.
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

// Rank 0 of two has four replicas of two members: devices 0 to 7, one node of 2 us and 50 GB/s.
constexpr Holders kRankZero{RankId(0), RankId(0), 1};
constexpr Holders kBothRanks{RankId(0), RankId(1), 2};

Transfer reduction(const StageParameters& stage, const Parallelism& parallelism,
                   const Holders& holders = kRankZero) {
  SmallJob job;
  job.costs.parallelism = parallelism;
  return GradientReductions(job.costs, {2, 4, parallelism.tensor}).of(holders, stage).total();
}

void expect_transfer(const Transfer& transfer, double payload, double alone) {
  EXPECT_NEAR(transfer.payload.value(), payload, 1e-9 * payload);
  EXPECT_NEAR(transfer.alone.value(), alone, 1e-9 * alone);
}

// Half of 1e6 gradients, 2e6 bytes a member, go round four replicas in 6 steps of 2 us and 5e5 B / 50 GB/s.
TEST(GradientReduction, IsARingOverTheReplicas) {
  expect_transfer(reduction(parameters(1e6, 0, 0), sizes(2, 1)), 1.5 * 2e6, 6 * (2e-6 + 5e5 / 50e9));
}

// ZeRO-1 takes three steps with gradients and three with parameters of half the size.
TEST(GradientReduction, ScattersAndGathersWithZero1) {
  expect_transfer(reduction(parameters(1e6, 0, 0), sizes(2, 1, DataParallel::Zero1)), 0.75 * 3e6,
                  3 * (2e-6 + 5e5 / 50e9) + 3 * (2e-6 + 2.5e5 / 50e9));
}

// Primary weights in FP8 are gathered as bytes.
TEST(GradientReduction, GathersPrimaryWeightsInTheirFormat) {
  StageParameters fp8 = parameters(1e6, 0, 0);
  fp8.tensor_weight = Bytes(1);
  expect_transfer(reduction(fp8, sizes(2, 1, DataParallel::Zero1)), 0.75 * 2.5e6,
                  3 * (2e-6 + 5e5 / 50e9) + 3 * (2e-6 + 1.25e5 / 50e9));
}

// Every weight that a backbone stage multiplies in FP8 and trains is gathered as one byte instead of two.
TEST(GradientReduction, OfPrimaryWeightsGathersTheirBytes) {
  SmallJob job;
  job.pipeline = {2, 2, 2};
  job.costs.parallelism.data = DataParallel::Zero1;
  const Derived derived = job.derive_as("1f1b", {});
  const Event reduce{.kind = EventKind::DpReduce, .stage = StageId(1)};
  const auto payload = [&](const Precision& precision) {
    job.costs.blocks[1].precision = precision;
    return job.priced(derived).transfer(reduce, ReplicaId(0)).payload;
  };
  const Bytes bf16 = payload({.fp8 = Fp8Scaling::Tensorwise});
  const Bytes fp8 = payload({.fp8 = Fp8Scaling::Tensorwise, .primary_weights = true});
  EXPECT_EQ(payload({.fp8 = Fp8Scaling::Mxfp8, .primary_weights = true}), bf16);
  const StageSlabs stages(job.costs, derived);
  Bytes saved;
  for (const StageSlabs::Part& part : stages.parts(StageId(1))) {
    const WeightBytes& replaced = stages.slab(part).cost.replaced;
    saved += (replaced.split + replaced.unsplit + replaced.experts) / 2;
  }
  EXPECT_GT(saved, Bytes());
  EXPECT_NEAR((bf16 - fp8).value(), saved.value() / 2, 1e-6);  // a ring of two replicas sends half
}

// Experts over 4 of the 8 devices: each holds a quarter, 1e6 gradients in 4e6 bytes, and has one other copy.
TEST(GradientReduction, TakesExpertsOverTheirCopiesAlone) {
  expect_transfer(reduction(parameters(0, 4e6, 0), sizes(2, 4)), 4e6, 2 * (2e-6 + 2e6 / 50e9));
  expect_transfer(reduction(parameters(0, 4e6, 0), sizes(2, 8)), 0, 0);  // one copy: nothing to reduce
}

// With tensor parallelism 4 and expert groups of 2, each rank and replica holds two copies of its experts.
TEST(GradientReduction, FindsCopiesOfExpertsInsideARank) {
  SmallJob job;
  job.costs.parallelism = sizes(4, 2);
  const Transfer one_replica =
      GradientReductions(job.costs, {2, 1, 4}).of({RankId(0), RankId(0), 1}, parameters(0, 2e6, 0)).total();
  expect_transfer(one_replica, 4e6, 2 * (2e-6 + 2e6 / 50e9));
}

// 2e6 bytes among devices 0, 2, ..., 14 in two nodes are scattered in rings of four inside the nodes, reduced
// between the nodes in quarters, and gathered in rings of four.
constexpr double kOverTwoNodes = 6 * (2e-6 + 5e5 / 50e9) + 2 * (10e-6 + 2.5e5 / 10e9);

// An encoder lies whole on both members of every rank. They scatter 4e6 bytes between them (1 us + 2e6 B /
// 100 GB/s), reduce half over the 8 copies on 2 ranks x 4 replicas, and gather again.
TEST(GradientReduction, ReducesAnEncoderInsideTheRankFirst) {
  const double inside = 2 * (1e-6 + 2e6 / 100e9);
  expect_transfer(reduction(parameters(0, 0, 1e6), sizes(2, 1), kBothRanks), 2e6 / 4, inside + kOverTwoNodes);
}

// Members that both encode all images have equal gradients. They all-reduce them (two steps of 2e6 bytes),
// then all 4e6 bytes of each member go round the replicas.
TEST(GradientReduction, KeepsAnEncoderThatEncodesAllImagesAlike) {
  StageParameters encoder;
  encoder.repeated = 1e6;
  const double inside = 2 * (1e-6 + 2e6 / 100e9);
  expect_transfer(reduction(encoder, sizes(2, 1)), 1.5 * 4e6, inside + 6 * (2e-6 + 1e6 / 50e9));
}

// Each member holds half and reduces it over the replicas only. ZeRO-3 acts as ZeRO-1, since no encoder
// parameters are scattered or gathered in passes.
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

// A stage with a copy on the other rank has twice the copies, on both nodes. Each node's four devices share
// the link to the other: 2 x 1/2 of 2e6 bytes.
TEST(GradientReduction, MeetsTheCopyOnAnotherRank) {
  expect_transfer(reduction(parameters(1e6, 0, 0), sizes(2, 1), kBothRanks), 2e6 / 4, kOverTwoNodes);
  expect_transfer(reduction(parameters(0, 4e6, 0), sizes(2, 8), kBothRanks), 0.5e6 * 4,
                  2 * (10e-6 + 1e6 / 10e9));
}

TEST(GradientReduction, IsNothingWithoutCopies) {
  SmallJob job;
  const Transfer transfer = GradientReductions(job.costs, {2, 1, 1})
                                .of({RankId(1), RankId(1), 1}, parameters(1e6, 1e6, 1e6))
                                .total();
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

// Each of two replicas sends the stage's gradients once, 4 bytes each. In a shared stage only layers of the
// trainable block count.
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

// A transposed encoder lies on 2 ranks x 2 replicas, a pair of devices each: 2 x 1/2 of its gradients cross
// the two ports of a pair.
TEST(GradientReduction, SpansTheRanksOfATransposedRegion) {
  SmallJob job;
  job.pipeline = {2, 2, 2};
  const double encoder = static_cast<double>(cost_of(layer_stack(small_vit()).layers).parameters());
  const Derived derived = job.derive_as("transpose,1f1b", {{2}});
  EXPECT_NEAR(priced_reduction(job, derived, 0).payload.value(), 0.5 * 4 * encoder, 1e-6);
}

// Returns the host's time for the tensors that its device updates, at one second each, for small DeepSeek-V3
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

// Latent attention has 5 products and 2 norms, and each layer 2 norms. One layer has 2 products; three have a
// router with its bias, 2 products of the shared expert and 2 of each of 8. Embedding, last norm and logits
// follow.
TEST(Update, TakesTheHostLongerForEachTensor) {
  const double dense = 4 * (5 + 2 + 2) + 2 + 3 * (2 + 2) + 3, experts = 3 * 8 * 2;
  EXPECT_NEAR(updated_by(DataParallel::Plain, 2, 1), dense + experts, 1e-9);
  EXPECT_NEAR(updated_by(DataParallel::Plain, 2, 2), dense + experts / 2, 1e-9);
  EXPECT_NEAR(updated_by(DataParallel::Zero1, 2, 1), (dense + experts) / 2, 1e-9);
  EXPECT_NEAR(updated_by(DataParallel::Zero1, 2, 2), dense / 2 + experts / 2, 1e-9);
  EXPECT_NEAR(updated_by(DataParallel::Zero1, 4, 2), dense / 4 + experts / 2 / 2, 1e-9);
}

// A stage without copies has an update but no reduction.
TEST(Update, IsAllThereIsWithoutCopies) {
  SmallJob job;
  job.pipeline = {2, 2, 1};
  job.costs.platform.accelerator.memory_bandwidth = chosen(BytesPerSecond(1e9));
  const Transfer alone = priced_reduction(job, job.derive_as("1f1b", {}), 0);
  EXPECT_GT(alone.update, Seconds());
  EXPECT_EQ(alone.alone, alone.update);
  EXPECT_EQ(alone.payload, Bytes());
}

// Bandwidths change how long a reduction takes, never its bytes on a port. A sweep is no exception.
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
      return GradientReductions(job.costs, {2, 4, 2}).of(kRankZero, parameters(1e6, 4e6, 1e5)).total();
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
