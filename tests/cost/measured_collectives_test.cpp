// Collective times read off measured sweeps.
#include <gtest/gtest.h>

#include "cost/network/collectives.h"
#include "small_platform.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

using Points = std::vector<std::pair<Bytes, Seconds>>;

const Points kPoints{
    {Bytes(1000), microseconds(10)}, {Bytes(3000), microseconds(20)}, {Bytes(4000), microseconds(40)}};

TEST(ReadOff, IsAffineBetweenPointsAndKeepsTheLastSlope) {
  const auto at = [](double n) { return read_off(kPoints, Bytes(n)).value() * 1e6; };
  EXPECT_DOUBLE_EQ(at(1), 10);
  EXPECT_DOUBLE_EQ(at(1000), 10);
  EXPECT_DOUBLE_EQ(at(2000), 15);
  EXPECT_DOUBLE_EQ(at(3000), 20);
  EXPECT_DOUBLE_EQ(at(3500), 30);
  EXPECT_DOUBLE_EQ(at(6000), 80);
}

TEST(ReadOff, DoesNotFallBeyondTheLastPoint) {
  const Points falling{{Bytes(1000), microseconds(30)}, {Bytes(2000), microseconds(20)}};
  EXPECT_EQ(read_off(falling, Bytes(1500)), microseconds(25));
  EXPECT_EQ(read_off(falling, Bytes(9000)), microseconds(20));
}

Platform with_sweep(std::size_t tier, CollectiveOperation operation, std::uint32_t devices,
                    std::uint32_t neighbours) {
  Platform platform = small_platform();
  platform.tiers[tier].collectives = {
      {operation, devices, neighbours, {kPoints, Evidence::Measured, "chosen for a test"}}};
  return platform;
}

bool measured(const Platform& platform, CollectiveOperation operation, const DeviceGroup& group) {
  return collective_time(platform, operation, group)(Bytes(1)).algorithm == Algorithm::Measured;
}

// The sweep has four devices of a node, two of each pair.
TEST(MeasuredCollective, MatchesOperationSizeAndLayout) {
  const Platform platform = with_sweep(1, AllReduce, 4, 2);
  EXPECT_TRUE(measured(platform, AllReduce, {DeviceId(0), 4}));
  EXPECT_TRUE(measured(platform, AllReduce, {DeviceId(12), 4}));
  EXPECT_TRUE(measured(platform, AllReduce, {DeviceId(0), 2, 1, 2, 4}));  // 0, 1, 4, 5
  EXPECT_FALSE(measured(platform, AllGather, {DeviceId(0), 4}));
  EXPECT_FALSE(measured(platform, AllReduce, {DeviceId(0), 6}));
  EXPECT_FALSE(measured(platform, AllReduce, {DeviceId(0), 4, 2}));  // one of each pair
  EXPECT_FALSE(measured(platform, AllReduce, {DeviceId(1), 4}));     // one, two, one
  EXPECT_FALSE(measured(platform, AllReduce, {DeviceId(6), 4}));     // beyond the node
}

TEST(MeasuredCollective, CountsOneNeighbourOnTheFirstTier) {
  EXPECT_TRUE(measured(with_sweep(0, AllReduce, 2, 1), AllReduce, {DeviceId(4), 2}));
}

TEST(MeasuredCollective, TimesMessages) {
  const Platform platform = with_sweep(2, SendRecv, 2, 1);
  EXPECT_EQ(point_to_point(platform, DeviceId(20), DeviceId(3))(Bytes(2000)).time, microseconds(15));
  EXPECT_EQ(point_to_point(platform, DeviceId(2), DeviceId(3))(Bytes(2000)).algorithm, Algorithm::Pairwise);
}

TEST(MeasuredCollective, SaysWhereItIsExtrapolated) {
  const CollectiveTime time = collective_time(with_sweep(1, AllReduce, 4, 2), AllReduce, {DeviceId(0), 4});
  EXPECT_EQ(time(Bytes(1)).evidence, Evidence::Measured);
  EXPECT_EQ(time(Bytes(4000)).evidence, Evidence::Measured);
  EXPECT_EQ(time(Bytes(4001)).evidence, Evidence::Extrapolated);
}

// HybridEP's kernels among 4 and 8 devices of a node whose port carries 50 GB/s.
Platform with_kernels() {
  Platform platform = small_platform();
  platform.tiers[1].expert_kernels = {
      {.devices = 4, .dispatch = gigabytes_per_second(40), .combine = gigabytes_per_second(20)},
      {.devices = 8,
       .dispatch = gigabytes_per_second(30),
       .combine = gigabytes_per_second(10),
       .fp8_dispatch = gigabytes_per_second(16)}};
  return platform;
}

TEST(ExpertKernels, ReachTheirRateInGroupsBetweenAndBeyondTheMeasured) {
  const Tier tier = with_kernels().tiers[1];
  const auto rate = [&](std::uint32_t devices, Carrier carrier) {
    return rate_of_kernels(tier, devices, carrier)->value / BytesPerSecond(1e9);
  };
  EXPECT_DOUBLE_EQ(rate(4, Carrier::Dispatch), 40);
  EXPECT_DOUBLE_EQ(rate(8, Carrier::Combine), 10);
  EXPECT_DOUBLE_EQ(rate(5, Carrier::Dispatch), 37.5);
  EXPECT_DOUBLE_EQ(rate(2, Carrier::Combine), 20);
  EXPECT_DOUBLE_EQ(rate(64, Carrier::Fp8Dispatch), 16);
  EXPECT_DOUBLE_EQ(rate(4, Carrier::Fp8Dispatch), 40) << "not stated: that of BF16";
  EXPECT_DOUBLE_EQ(rate(6, Carrier::Fp8Dispatch), 28);
  const auto evidence = [&](std::uint32_t devices) {
    Tier measured = tier;
    for (ExpertKernels& kernels : measured.expert_kernels) kernels.dispatch.evidence = Evidence::Measured;
    return rate_of_kernels(measured, devices, Carrier::Dispatch)->evidence;
  };
  EXPECT_EQ(evidence(8), Evidence::Measured);
  EXPECT_EQ(evidence(6), Evidence::Derived);
  EXPECT_EQ(evidence(2), Evidence::Extrapolated);
  EXPECT_EQ(evidence(9), Evidence::Extrapolated);
  EXPECT_FALSE(rate_of_kernels(small_platform().tiers[1], 4, Carrier::Dispatch).has_value());
}

// 8 of the node's devices; a library's all-to-all does not change, nor does another operation.
TEST(ExpertKernels, GoBeforeTheLibrarysSweepAndNeverBeatThePort) {
  Platform platform = with_kernels();
  platform.tiers[1].collectives = with_sweep(1, AllToAll, 8, 2).tiers[1].collectives;
  const DeviceGroup node{DeviceId(0), 8};
  const auto seconds = [&](CollectiveOperation operation, Carrier carrier) {
    return collective_time(platform, operation, node, carrier)(Bytes(3e9)).time.value();
  };
  EXPECT_DOUBLE_EQ(seconds(AllToAll, Carrier::Dispatch), 0.1);
  EXPECT_DOUBLE_EQ(seconds(AllToAll, Carrier::Combine), 0.3);
  EXPECT_TRUE(measured(platform, AllToAll, node));
  EXPECT_EQ(seconds(AllReduce, Carrier::Dispatch), seconds(AllReduce, Carrier::Library));
  platform.ports[1].bandwidth = gigabytes_per_second(18);  // carries 6 eighths: a pair has its bridge
  EXPECT_DOUBLE_EQ(seconds(AllToAll, Carrier::Dispatch), 0.125);
}

}  // namespace
}  // namespace spillway
