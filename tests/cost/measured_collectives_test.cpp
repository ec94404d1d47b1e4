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

}  // namespace
}  // namespace spillway
