// The collectives that each kind of parallelism adds to a slab, and their sizes.
#include "cost/slabs/slab_collectives.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cost/layers/execution.h"
#include "cost/layers/precision.h"
#include "published_models.h"
#include "small_platform.h"

namespace spillway {
namespace {

constexpr Gradients kWhole{.weight = true, .input = true};
constexpr std::uint32_t kWidth = 64;

std::vector<Layer> dense_layer() {
  return {rms_norm(kWidth) + linear("qkv", kWidth, 96, Share::Columns) +
          attention(AttentionHeads{4, 2, 16, 16}, true) + linear("out", 64, kWidth, Share::Rows) +
          tensor_parallel_sublayer() + swiglu(kWidth, 128) + tensor_parallel_sublayer()};
}

std::vector<SlabCollectiveUse> uses(const std::vector<Layer>& layers, const Parallelism& parallelism,
                                    std::uint32_t replicas = 1, Gradients gradients = kWhole,
                                    const Framework& framework = {}) {
  static const Platform platform = small_platform();
  const DeviceGrid grid{2, replicas, parallelism.members()};
  return slab_collectives(layers, kWidth, gradients, {&platform, &framework, grid, RankId(0), parallelism});
}

// Returns how often an operation runs in a pass.
double times(const std::vector<SlabCollectiveUse>& all, Pass pass, CollectiveOperation operation) {
  double total = 0;
  for (const SlabCollectiveUse& use : all)
    if (use.pass == pass && use.operation == operation) total += use.times;
  return total;
}

TEST(SlabCollectives, OneDeviceNeedsNone) {
  EXPECT_TRUE(uses(dense_layer(), {}).empty());
}

// Korthikanti et al. 2022, section 4.2.2: four gathers or scatters forward and four backward, each of tokens
// x width. Two more gather kept inputs for the weight gradients.
TEST(SlabCollectives, SequenceParallelismGathersAndScatters) {
  const auto all = uses(dense_layer(), {.tensor = 4});
  EXPECT_EQ(times(all, Pass::Forward, CollectiveOperation::AllGather), 2);
  EXPECT_EQ(times(all, Pass::Forward, CollectiveOperation::ReduceScatter), 2);
  EXPECT_EQ(times(all, Pass::InputGradient, CollectiveOperation::AllGather), 2 + 2);
  EXPECT_EQ(times(all, Pass::InputGradient, CollectiveOperation::ReduceScatter), 2);
  for (const SlabCollectiveUse& use : all) EXPECT_EQ(use.bytes(10), Bytes(10 * kWidth * 2));
}

// Operands in FP8 are cast before they are gathered, so that gathers of a layer move half. Scatters and the
// head's gather move BF16.
TEST(SlabCollectives, GathersOperandsInTheirFormat) {
  std::vector<Layer> layers = dense_layer();
  const double before = layers.front().all_gathers;
  add_end_collectives(layers.front(), 1, 0);
  run_in({.fp8 = Fp8Scaling::Delayed}, false, kAllGradients, layers);
  const auto all = uses(layers, {.tensor = 4});
  for (const SlabCollectiveUse& use : all) {
    const bool of_gradients = use.pass == Pass::InputGradient && use.times == before;
    const double size = use.operation == CollectiveOperation::ReduceScatter ? 1
                        : of_gradients                                      ? 0.5
                                       : (before * 0.5 + 1) / (before + 1);
    EXPECT_NEAR(use.bytes(10).value(), 10 * kWidth * 2 * size, 1e-9);
  }
  EXPECT_EQ(all.size(), 5U);
}

// Megatron-LM (arXiv 1909.08053, section 3): two all-reduces forward, two backward.
TEST(SlabCollectives, TensorParallelismAloneReduces) {
  const auto all = uses(dense_layer(), {.tensor = 4, .sequence_parallel = false});
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(times(all, Pass::Forward, CollectiveOperation::AllReduce), 2);
  EXPECT_EQ(times(all, Pass::InputGradient, CollectiveOperation::AllReduce), 2);
}

TEST(SlabCollectives, UserBuffersHideGathersAndScattersUnderThePass) {
  const auto all = uses(dense_layer(), {.tensor = 4, .tensor_overlap = TensorOverlap::All});
  EXPECT_EQ(all.size(), 5U);
  for (const SlabCollectiveUse& use : all) EXPECT_NE(use.under, Hides::Nothing);
}

// Collectives that no product waits for hide as they do without chunks: a scatter beside the weight gradient,
// and the gather of its inputs.
TEST(SlabCollectives, ChunksHideTheirOwnShare) {
  Framework framework{.name = "f"};
  framework.hidden_tensor = chosen(0.75);
  const Parallelism parallelism{.tensor = 4, .tensor_overlap = TensorOverlap::All};
  for (const SlabCollectiveUse& use : uses(dense_layer(), parallelism, 1, kWhole, framework))
    EXPECT_EQ(use.hidden, 0.75);
  framework.hidden_chunks = chosen(0.25);
  double chunked = 0, whole = 0;
  for (const SlabCollectiveUse& use : uses(dense_layer(), parallelism, 1, kWhole, framework))
    (use.hidden == 0.25 ? chunked : whole) += use.times;
  EXPECT_EQ(chunked, 2 + 2 + 2);  // gathers and scatters of the forward, gathers of output gradients
  EXPECT_EQ(whole, 2 + 2);
}

TEST(SlabCollectives, FrozenLayersGatherNoInputsForWeightGradients) {
  const auto all = uses(dense_layer(), {.tensor = 4}, 1, {.weight = false, .input = true});
  EXPECT_EQ(times(all, Pass::InputGradient, CollectiveOperation::AllGather), 2);
}

// Each of three hops sends a chunk's keys and values, 2 heads of 16 + 16. The backward also sends their
// gradients.
TEST(SlabCollectives, ContextParallelismPassesKeysAndValuesRound) {
  const auto all = uses(dense_layer(), {.context = 4});
  EXPECT_EQ(times(all, Pass::Forward, CollectiveOperation::SendRecv), 3);
  EXPECT_EQ(times(all, Pass::InputGradient, CollectiveOperation::SendRecv), 6);
  for (const SlabCollectiveUse& use : all) {
    EXPECT_EQ(use.under, Hides::Attention);
    EXPECT_EQ(use.bytes(10), Bytes(10 * 2 * 2 * 32));
  }
}

// Every layer sends its keys and values in a ring of its own, so each hop pays its latency.
TEST(SlabCollectives, EveryLayerHasARingOfItsOwn) {
  const auto all = uses({3, dense_layer().front()}, {.context = 4});
  EXPECT_EQ(times(all, Pass::Forward, CollectiveOperation::SendRecv), 3 * 3);
  EXPECT_EQ(times(all, Pass::InputGradient, CollectiveOperation::SendRecv), 3 * 6);
  for (const SlabCollectiveUse& use : all) EXPECT_EQ(use.bytes(10), Bytes(10 * 2 * 2 * 32));
}

// Dispatch and combine each move top-k copies of the device's tokens; imbalanced routing scales both.
TEST(SlabCollectives, ExpertsExchangeTokens) {
  const std::vector<Layer> layers = {routed_experts(kWidth, 32, 8, 2)};
  const auto balanced = uses(layers, {.tensor = 2, .expert = 4}, 2);
  EXPECT_EQ(times(balanced, Pass::Forward, CollectiveOperation::AllToAll), 2);
  EXPECT_EQ(times(balanced, Pass::InputGradient, CollectiveOperation::AllToAll), 2);
  const auto exchange = [](const std::vector<SlabCollectiveUse>& all) {
    return std::find_if(
               all.begin(), all.end(),
               [](const SlabCollectiveUse& use) { return use.operation == CollectiveOperation::AllToAll; })
        ->bytes_in(0, 10);
  };
  EXPECT_EQ(exchange(balanced), Bytes(10 / 2 * 2 * kWidth * 2));
  EXPECT_EQ(exchange(uses(layers, {.tensor = 2, .expert = 4, .expert_imbalance = 1.5}, 2)),
            1.5 * exchange(balanced));
  // Experts on a latent are sent the latent (LatentMoE).
  const std::vector<Layer> latent = {routed_experts(kWidth, 32, 8, 2, {.latent = kWidth / 4})};
  EXPECT_EQ(exchange(uses(latent, {.tensor = 2, .expert = 4}, 2)), exchange(balanced) / 4);
}

// Four devices hold two experts each. Of C(8, 2) = 28 pairs 4 lie on one device, so a token goes to 52/28
// devices. FP8 dispatch takes 1 + 4/128 bytes a number; combine stays at 2.
TEST(SlabCollectives, ExpertsOfOneDeviceShareATokenAndDispatchMayBeInFp8) {
  const std::vector<Layer> layers = {routed_experts(kWidth, 32, 8, 2)};
  const auto all = uses(layers, {.expert = 4, .dispatch = ExpertDispatch::PerNode, .fp8_dispatch = true}, 4);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(times(all, Pass::Forward, CollectiveOperation::AllToAll), 2);
  double bytes = 0;
  for (const SlabCollectiveUse& use : all) {
    double most = 0;
    for (std::size_t i = 0; i < use.groups.size(); ++i) most = std::max(most, use.bytes_in(i, 10).value());
    EXPECT_EQ(use.bytes_in(use.slowest_group(10), 10), Bytes(most));
    bytes += most;
  }
  EXPECT_NEAR(bytes, 2 * 10 * kWidth * (2 + 1 + 4.0 / 128) * 52 / 28, 1e-6);
}

// Experts take an all-gather of all four devices' tokens and then a reduce-scatter; the backward swaps them.
TEST(SlabCollectives, ExpertsByAnAllGatherMoveEveryToken) {
  const std::vector<Layer> layers = {routed_experts(kWidth, 32, 8, 2)};
  const auto all = uses(layers, {.tensor = 2, .expert = 4, .dispatch = ExpertDispatch::AllGather}, 2);
  ASSERT_EQ(all.size(), 4U);
  for (const Pass pass : {Pass::Forward, Pass::InputGradient}) {
    EXPECT_EQ(times(all, pass, CollectiveOperation::AllGather), 1);
    EXPECT_EQ(times(all, pass, CollectiveOperation::ReduceScatter), 1);
  }
  for (const SlabCollectiveUse& use : all) {
    EXPECT_EQ(use.groups[0].device_count(), 4U);
    EXPECT_EQ(use.bytes_in(0, 10), Bytes(10 / 2 * 4 * kWidth * 2));
    EXPECT_EQ(use.under, Hides::Nothing);
  }
}

// The exchange runs among every second device. Neighbours gather the tokens of both, twice the bytes, and
// reduce-scatter the sums.
TEST(SlabCollectives, SplitExpertsGatherAndScatterBesideTheExchange) {
  const std::vector<Layer> layers = {routed_experts(kWidth, 32, 8, 2)};
  const auto all = uses(layers, {.tensor = 2, .expert = 4, .expert_tensor = 2}, 4);
  for (const Pass pass : {Pass::Forward, Pass::InputGradient}) {
    EXPECT_EQ(times(all, pass, CollectiveOperation::AllToAll), 2);
    EXPECT_EQ(times(all, pass, CollectiveOperation::AllGather), 1);
    EXPECT_EQ(times(all, pass, CollectiveOperation::ReduceScatter), 1);
  }
  for (const SlabCollectiveUse& use : all) {
    const bool exchange = use.operation == CollectiveOperation::AllToAll;
    EXPECT_EQ(use.groups[0].size, exchange ? 4U : 2U);
    EXPECT_EQ(use.groups[0].stride, exchange ? 2U : 1U);
    EXPECT_EQ(use.bytes_in(0, 10), Bytes(10 / 2 * 2 * kWidth * 2) * (exchange ? 1 : 2));
  }
}

// A dispatcher's own kernels fill the links; the library's protocols pay their launch.
TEST(SlabCollectives, ADispatcherOfItsOwnDoesWithoutProtocols) {
  Platform platform = small_platform();
  platform.tiers.erase(platform.tiers.begin());
  const auto share = chosen(0.5);
  const auto time = chosen(microseconds(100));
  platform.tiers[0].protocols = Protocols{share, share, time, time, share, time};
  const auto forward = [&](ExpertDispatch dispatch) {
    const Framework framework;
    const Parallelism parallelism{.expert = 4, .dispatch = dispatch};
    const std::vector<Layer> layers = {routed_experts(kWidth, 32, 8, 2)};
    return slab_communication(slab_collectives(layers, kWidth, kWhole,
                                               {&platform, &framework, {1, 4, 1}, RankId(0), parallelism}),
                              10)
        .forward.exposed;
  };
  EXPECT_GT(forward(ExpertDispatch::PerExpert), microseconds(200));
  EXPECT_LT(forward(ExpertDispatch::PerNode), microseconds(200));
}

// DeepSpeed-Ulysses (arXiv 2309.14509) exchanges queries, keys and values, then outputs; the backward does
// the same.
TEST(SlabCollectives, UlyssesExchangesTokensForHeads) {
  const auto all = uses(dense_layer(), {.tensor = 2, .context = 2, .context_by = ContextBy::Ulysses});
  std::vector<double> elements;
  for (const SlabCollectiveUse& use : all) {
    if (use.among != Among::Context) continue;
    EXPECT_EQ(use.operation, CollectiveOperation::AllToAll);
    EXPECT_EQ(use.under, Hides::Nothing);
    EXPECT_EQ(use.groups[0].size, 2U);
    EXPECT_EQ(use.groups[0].stride, 2U);
    elements.push_back(use.bytes(1).value() / 2);
  }
  EXPECT_EQ(elements,
            (std::vector<double>{(4 * 16 + 2 * 32) / 2, 4 * 16 / 2, (4 * 16 + 2 * 32) / 2, 4 * 16 / 2}));
}

// ZeRO (arXiv 1910.02054), section 7: stage 3 moves the parameters twice and the gradients once.
TEST(SlabCollectives, ShardedStatesTravelUnderThePasses) {
  const std::vector<Layer> layers = dense_layer();
  const double parameters = static_cast<double>(cost_of(layers).parameters());
  const auto zero2 = uses(layers, {.data = DataParallel::Zero2}, 4);
  ASSERT_EQ(zero2.size(), 1U);
  EXPECT_EQ(zero2[0].pass, Pass::WeightGradient);
  EXPECT_EQ(zero2[0].bytes(10), Bytes(4 * parameters));
  const auto zero3 = uses(layers, {.data = DataParallel::Zero3}, 4);
  EXPECT_EQ(zero3.size(), 3U);
  EXPECT_EQ(times(zero3, Pass::Forward, CollectiveOperation::AllGather), 1);
  EXPECT_EQ(times(zero3, Pass::InputGradient, CollectiveOperation::AllGather), 1);
  EXPECT_EQ(times(zero3, Pass::WeightGradient, CollectiveOperation::ReduceScatter), 1);
  for (const SlabCollectiveUse& use : zero3) EXPECT_EQ(use.under, Hides::Pass);
  EXPECT_TRUE(uses(layers, {.data = DataParallel::Zero1}, 4).empty());
}

TEST(SlabCommunication, SumsWhatHidesApart) {
  const auto all = uses(dense_layer(), {.tensor = 2, .context = 2});
  const SlabCommunication at = slab_communication(all, 100);
  EXPECT_GT(at.forward.exposed, Seconds());
  EXPECT_GT(at.forward.under_attention, Seconds());
  EXPECT_EQ(at.forward.under_pass, Seconds());
  EXPECT_GT(at.input_gradient.under_pass, Seconds());
  EXPECT_GT(at.input_reduction, Seconds());
  EXPECT_EQ(at.weight_gradient.exposed, Seconds());
}

}  // namespace
}  // namespace spillway
