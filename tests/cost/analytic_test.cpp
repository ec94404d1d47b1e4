// The analytic cost model's breakdown of its prices: collectives, and operators with their evidence. The
// small job on the small platform, by hand.
#include "cost/analytic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "small_job.h"
#include "support/property.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

SmallJob on_one_rank(const Parallelism& parallelism, std::uint32_t replicas = 1) {
  SmallJob job;
  job.pipeline = {1, 2, replicas};
  job.costs.parallelism = parallelism;
  return job;
}

// Returns the collectives inside the event of this kind that runs microbatch 0, which has 10 tokens.
std::vector<SlabCollective> inside(const SmallJob& job, EventKind kind, std::uint32_t replica = 0,
                                   const char* schedule = "1f1b", std::uint32_t rank = 0) {
  const Derived derived = job.derive_as(schedule, {});
  const AnalyticCostModel model = job.priced(derived);
  for (const Event& event : derived.order.events()) {
    if (event.kind == kind && event.microbatch == MicrobatchId(0) && event.rank == RankId(rank))
      return model.collectives(event, ReplicaId(replica));
  }
  return {};
}

void expect_collective(const SlabCollective& found, CollectiveOperation operation, double bytes, double times,
                       bool hidden) {
  EXPECT_EQ(found.operation, operation);
  EXPECT_DOUBLE_EQ(found.bytes.value(), bytes);
  EXPECT_DOUBLE_EQ(found.times, times);
  EXPECT_EQ(found.hidden, hidden);
}

void expect_groups(const SlabCollective& found, std::uint32_t first, std::uint32_t size, std::uint32_t stride,
                   std::uint32_t groups, std::uint32_t group_stride) {
  EXPECT_EQ(found.group.first, DeviceId(first));
  EXPECT_EQ(found.group.size, size);
  EXPECT_EQ(found.group.stride, stride);
  EXPECT_EQ(found.group.blocks, 1U);
  EXPECT_EQ(found.groups, groups);
  if (groups > 1) {
    EXPECT_EQ(found.group_stride, group_stride);
  }
}

// Each collective moves 10 tokens x 16 x 2 bytes; there are 9 gathers and 9 scatters (slab_test.cpp).
TEST(AnalyticCollectives, OfTensorParallelism) {
  const SmallJob job = on_one_rank({.tensor = 2});
  const auto forward = inside(job, EventKind::Forward);
  ASSERT_EQ(forward.size(), 2U);
  expect_collective(forward[0], AllGather, 320, 9, false);
  expect_collective(forward[1], ReduceScatter, 320, 9, false);
  const auto backward = inside(job, EventKind::Backward);
  ASSERT_EQ(backward.size(), 3U);
  expect_collective(backward[0], AllGather, 320, 9, false);
  expect_collective(backward[1], ReduceScatter, 320, 9, true);
  expect_collective(backward[2], AllGather, 320, 9, true);
  for (const SlabCollective& collective : backward) expect_groups(collective, 0, 2, 1, 1, 2);
}

// With a split backward the scatter has nothing to hide under, and the weight gradient has no scatter.
TEST(AnalyticCollectives, OfTensorParallelismWithSplitBackwards) {
  const SmallJob job = on_one_rank({.tensor = 2});
  const auto input = inside(job, EventKind::BackwardInput, 0, "zb-h1");
  ASSERT_EQ(input.size(), 3U);
  EXPECT_FALSE(input[1].hidden);
  EXPECT_TRUE(input[2].hidden);
  EXPECT_TRUE(inside(job, EventKind::BackwardWeight, 0, "zb-h1").empty());
}

// The rank has four members: two tensor groups of 5 tokens each. The second replica's devices begin at device
// 4.
TEST(AnalyticCollectives, EachContextRankGathersItsOwnChunk) {
  const SmallJob job = on_one_rank({.tensor = 2, .context = 2}, 2);
  const auto forward = inside(job, EventKind::Forward, 1);
  ASSERT_EQ(forward.size(), 3U);
  expect_collective(forward[0], AllGather, 160, 9, false);
  expect_groups(forward[0], 4, 2, 1, 2, 2);
}

// Devices 0 and 1 send keys and values of 5 tokens to devices 2 and 3 in each of 4 layers: 2 of 4 heads, 8 +
// 4 elements of 2 bytes each.
TEST(AnalyticCollectives, OfContextParallelismGoFromNeighbourToNeighbour) {
  const SmallJob job = on_one_rank({.tensor = 2, .context = 2});
  const SlabCollective forward = inside(job, EventKind::Forward).back();
  expect_collective(forward, SendRecv, 5 * 2 * 12 * 2, 4, true);
  expect_groups(forward, 0, 2, 2, 2, 1);
  const SlabCollective backward = inside(job, EventKind::Backward).back();
  expect_collective(backward, SendRecv, 5 * 2 * 12 * 2, 2 * 4, true);
  EXPECT_EQ(inside(on_one_rank({.context = 4}), EventKind::Forward).back().groups, 3U);
}

// Three sparse layers dispatch and then combine 2 copies of 10 / 4 tokens: 5 x 16 x 2 bytes on each device of
// two groups of two.
TEST(AnalyticCollectives, OfExpertsInsideARank) {
  const SmallJob job = on_one_rank({.tensor = 2, .context = 2, .expert = 2});
  for (const EventKind kind : {EventKind::Forward, EventKind::Backward}) {
    const SlabCollective exchange = inside(job, kind).back();
    expect_collective(exchange, AllToAll, 160, 3, false);
    expect_groups(exchange, 0, 2, 1, 2, 2);
  }
}

// Experts over two replicas of two members form one group, which both replicas list. Replicas 2 and 3 have
// the next group; a second rank begins behind all replicas of the first.
TEST(AnalyticCollectives, OfExpertsAcrossJoinedReplicas) {
  SmallJob job = on_one_rank({.tensor = 2, .expert = 4}, 4);
  for (std::uint32_t replica = 0; replica < 4; ++replica) {
    const SlabCollective exchange = inside(job, EventKind::Forward, replica).back();
    expect_collective(exchange, AllToAll, 320, 3, false);
    expect_groups(exchange, replica / 2 * 4, 4, 1, 1, 4);
  }
  job.pipeline.ranks = 2;
  const SlabCollective second = inside(job, EventKind::Forward, 3, "1f1b", 1).back();
  expect_groups(second, 8 + 4, 4, 1, 1, 4);
}

TEST(AnalyticCollectives, FullRecomputationRepeatsTheExposedOnesOfTheForward) {
  SmallJob job = on_one_rank({.tensor = 2, .context = 2, .expert = 2});
  const auto without = inside(job, EventKind::Backward);
  job.costs.blocks[1].recompute = Recompute::Full;
  const auto with = inside(job, EventKind::Backward);
  EXPECT_EQ(with.size(), without.size() + 4);  // a gather, a scatter, two exchanges; no ring
  EXPECT_EQ(inside(job, EventKind::Forward).size(), 5U);
}

// Encoders exchange nothing. A frozen backbone behind a frozen encoder exchanges nothing in its backward.
TEST(AnalyticCollectives, OfWhatIsNotComputedAreNone) {
  SmallJob job = on_one_rank({.tensor = 2, .context = 2, .expert = 2});
  job.encoder_trainable = job.backbone_trainable = false;
  EXPECT_TRUE(inside(job, EventKind::Backward).empty());
  job = SmallJob();
  job.costs.parallelism.tensor = 2;
  const Derived derived = job.derive_as("1f1b", {}, {2, 4});
  const AnalyticCostModel model = job.priced(derived);
  for (const Event& event : derived.order.events()) {
    const bool encodes = event.computes() && event.rank == RankId(0);
    EXPECT_TRUE(!encodes || model.collectives(event, ReplicaId(0)).empty());
  }
}

Seconds total(const std::vector<PricedOperator>& operators) {
  Seconds sum;
  for (const PricedOperator& op : operators) sum += op.time;
  return sum;
}

Seconds of_all_passes(const Derived& derived, const AnalyticCostModel& model) {
  Seconds sum;
  for (const Event& event : derived.order.events()) {
    for (std::uint32_t replica = 0; event.computes() && replica < derived.pipeline.replicas; ++replica)
      sum += event_seconds(model, event, ReplicaId(replica));
  }
  return sum;
}

const PricedOperator* find(const std::vector<PricedOperator>& operators, std::string_view name) {
  const auto found = std::find_if(operators.begin(), operators.end(),
                                  [&](const PricedOperator& op) { return op.name == name; });
  return found == operators.end() ? nullptr : &*found;
}

// With one device per rank nothing overlaps or waits, so the operators sum to the passes on any schedule.
TEST(PricedOperators, SumToWhatThePassesTake) {
  for (const char* schedule : {"1f1b", "zb-h1"}) {
    SmallJob job;
    job.pipeline = {2, 2, 3};
    const Derived derived = job.derive_as(schedule, {});
    const AnalyticCostModel model = job.priced(derived);
    const double passes = of_all_passes(derived, model).value();
    EXPECT_NEAR(total(model.priced_operators(derived.order)).value(), passes, 1e-12 * passes);
  }
}

void any_way(BlockCosts& block, bool trainable) {
  block.recompute =
      *rc::gen::element(Recompute::None, Recompute::Selective, Recompute::Alternate, Recompute::Full);
  block.fixed_per_microbatch = *rc::gen::element(Seconds(), milliseconds(3));
  if (trainable) block.adapters = {.rank = *rc::gen::element(0U, 4U), .dropout = *rc::gen::arbitrary<bool>()};
}

// This holds whatever is frozen, adapted, recomputed or added to a pass.
RC_GTEST_PROP(PricedOperators, AreThePartsOfEveryPass, ()) {
  SmallJob job;
  job.pipeline = {2, *rc::gen::inRange(1U, 3U), *rc::gen::inRange(1U, 4U)};
  job.encoder_trainable = *rc::gen::arbitrary<bool>();
  job.backbone_trainable = *rc::gen::arbitrary<bool>();
  any_way(job.costs.blocks[0], job.encoder_trainable);
  any_way(job.costs.blocks[1], job.backbone_trainable);
  const Derived derived = job.derive_as(*rc::gen::element("1f1b", "zb-h1", "gpipe", "zb-v"), {});
  const AnalyticCostModel model = job.priced(derived);
  const double passes = of_all_passes(derived, model).value();
  RC_ASSERT(std::abs(total(model.priced_operators(derived.order)).value() - passes) <= 1e-12 * passes);
}

// Exposed collectives are added on each of two devices: 9 gathers and 9 scatters forward and 9 gathers
// backward; as many are hidden. The microbatches have 10 and 20 tokens.
TEST(PricedOperators, CountCollectivesOnEveryDevice) {
  const SmallJob job = on_one_rank({.tensor = 2});
  const Derived derived = job.derive_as("1f1b", {});
  const auto priced = job.priced(derived).priced_operators(derived.order);
  const double both = 2 * (1e-6 + 160 / 100e9) + 2 * (1e-6 + 320 / 100e9);
  ASSERT_TRUE(find(priced, "all-gather") && find(priced, "reduce-scatter"));
  EXPECT_NEAR(find(priced, "all-gather")->time.value(), (9 + 9 + 9) * both, 1e-15);
  EXPECT_NEAR(find(priced, "reduce-scatter")->time.value(), (9 + 9) * both, 1e-15);
  EXPECT_EQ(find(priced, "all-gather")->shape, "devices=2 bytes=640");
}

// Where microbatches differ, an operator is named by the larger one: 20 tokens.
TEST(PricedOperators, AreNamedByTheirLargestShape) {
  const SmallJob job = on_one_rank({});
  const Derived derived = job.derive_as("1f1b", {});
  const auto priced = job.priced(derived).priced_operators(derived.order);
  const auto shape = [&](std::string_view name) {
    const PricedOperator* found = find(priced, name);
    return found ? found->shape : "not there";
  };
  EXPECT_EQ(shape("kv up"), "m=20 n=32 k=8");
  EXPECT_EQ(shape("kv up, input gradient"), "m=20 n=32 k=8");
  EXPECT_EQ(shape("kv up, weight gradient"), "m=20 n=32 k=8");
  EXPECT_EQ(shape("expert up"), "groups=8 rows=40 n=16 k=16");
  EXPECT_EQ(shape("patch embedding"), "m=20 n=8 k=4");
  EXPECT_EQ(shape("merger in"), "m=5 n=32 k=32");
}

// The peak is the vendor's and the efficiencies are derived; values the experiment states for a block are
// assumed.
TEST(PricedOperators, RollUpTheirEvidence) {
  SmallJob job = on_one_rank({});
  Accelerator& accelerator = job.costs.platform.accelerator;
  accelerator.peak.evidence = accelerator.memory_bandwidth.evidence = Evidence::Vendor;
  Efficiencies& all = accelerator.efficiency;
  for (Sourced<double>* efficiency :
       {&all.gemm, &all.grouped_gemm, &all.attention, &all.attention_backward, &all.memory})
    efficiency->evidence = Evidence::Derived;
  const auto evidence = [&] {
    const Derived derived = job.derive_as("1f1b", {});
    return summarize(job.priced(derived).priced_operators(derived.order));
  };
  EXPECT_EQ(evidence().weakest, Evidence::Derived);
  EXPECT_DOUBLE_EQ(evidence().share(Evidence::Derived), 1);
  job.costs.blocks[0].efficiency.compute = 0.5;
  EXPECT_EQ(evidence().weakest, Evidence::Assumed);
  EXPECT_NEAR(evidence().share(Evidence::Assumed) + evidence().share(Evidence::Derived), 1, 1e-12);
  EXPECT_GT(evidence().share(Evidence::Derived), 0.1);
  EXPECT_GT(evidence().share(Evidence::Assumed), 0.1);
}

// A table row of the same shape counts as measured and as extrapolated for other shapes. Rows from another
// device only count as extrapolated.
TEST(PricedOperators, SayWhichShapesWereMeasured) {
  SmallJob job = on_one_rank({});
  job.costs.platform.accelerator.operators.edit().gemms = {{10, 32, 8, microseconds(5120)}};
  const auto kv_up = [&] {
    const Derived derived = job.derive_as("1f1b", {});
    const auto priced = job.priced(derived).priced_operators(derived.order);
    return *find(priced, "kv up");
  };
  // 4 layers of one microbatch with 10 tokens.
  EXPECT_EQ(kv_up().evidence, Evidence::Measured);
  EXPECT_EQ(kv_up().shape, "m=10 n=32 k=8");
  EXPECT_NEAR(kv_up().time.value(), 4 * 5.12e-3, 1e-12);
  job.costs.platform.accelerator.operators.edit().gemm_evidence = Evidence::Extrapolated;
  EXPECT_EQ(kv_up().evidence, Evidence::Extrapolated);
  EXPECT_EQ(kv_up().shape, "m=20 n=32 k=8");
}

}  // namespace
}  // namespace spillway
