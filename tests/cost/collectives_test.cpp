// Collectives by tier: pairs 1 us, 100 GB/s; nodes of 8 2 us, 50 GB/s; the cluster 10 us, 10 GB/s.
#include "cost/collectives.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace spillway {
namespace {

constexpr Bytes kMegabyte(1e6);

double microseconds_of(Seconds time) {
  return time.value() * 1e6;
}

TEST(PointToPoint, IsLatencyAndBytesOverTheTierBetween) {
  const Platform platform = small_platform();
  EXPECT_DOUBLE_EQ(microseconds_of(point_to_point(platform, DeviceId(0), DeviceId(1))(kMegabyte)), 1 + 10);
  EXPECT_DOUBLE_EQ(microseconds_of(point_to_point(platform, DeviceId(0), DeviceId(2))(kMegabyte)), 2 + 20);
  EXPECT_DOUBLE_EQ(microseconds_of(point_to_point(platform, DeviceId(0), DeviceId(9))(kMegabyte)), 10 + 100);
  EXPECT_EQ(point_to_point(platform, DeviceId(3), DeviceId(3))(kMegabyte), Seconds(0));
}

// Four devices of a node: three steps of 2 us and a quarter of 20 us each; all-reduce twice that.
TEST(Ring, TakesOneStepLessThanDevices) {
  const Platform platform = small_platform();
  const DeviceGroup four{DeviceId(0), 4};
  EXPECT_DOUBLE_EQ(microseconds_of(all_gather(platform, four)(kMegabyte)), 3 * (2 + 5));
  EXPECT_DOUBLE_EQ(microseconds_of(reduce_scatter(platform, four)(kMegabyte)), 3 * (2 + 5));
  EXPECT_DOUBLE_EQ(microseconds_of(all_reduce(platform, four)(kMegabyte)), 6 * (2 + 5));
}

TEST(Ring, RunsAtThePaceOfTheWidestTier) {
  const Platform platform = small_platform();
  EXPECT_DOUBLE_EQ(microseconds_of(all_gather(platform, DeviceGroup{DeviceId(0), 2})(kMegabyte)), 1 + 5);
  EXPECT_DOUBLE_EQ(microseconds_of(all_gather(platform, DeviceGroup{DeviceId(1), 2})(kMegabyte)),
                   2 + 10);  // 1 and 2
  EXPECT_DOUBLE_EQ(microseconds_of(all_gather(platform, DeviceGroup{DeviceId(7), 2})(kMegabyte)),
                   10 + 50);  // 7 and 8
  EXPECT_DOUBLE_EQ(microseconds_of(all_gather(platform, DeviceGroup{DeviceId(0), 2, 8})(kMegabyte)), 10 + 50);
}

// Four devices of a node: one peer in the pair, two in the node; a quarter of the bytes to each.
TEST(AllToAll, ReachesEachPeerOverItsOwnTier) {
  const Platform platform = small_platform();
  EXPECT_DOUBLE_EQ(microseconds_of(all_to_all(platform, {DeviceId(0), 4})(kMegabyte)),
                   (1 + 2.5) + 2 * (2 + 5));
  // 16 devices, two nodes: 1 peer in the pair, 6 in the node, 8 beyond; 1/16 to each.
  EXPECT_DOUBLE_EQ(microseconds_of(all_to_all(platform, {DeviceId(0), 16})(kMegabyte)),
                   (1 + 10 / 16.0) + 6 * (2 + 20 / 16.0) + 8 * (10 + 100 / 16.0));
}

// Devices 6, 7, 8: 8 has both peers in another node, 6 and 7 one each.
TEST(AllToAll, TakesTheDeviceWithTheMostDistantPeers) {
  EXPECT_DOUBLE_EQ(microseconds_of(all_to_all(small_platform(), {DeviceId(6), 3})(kMegabyte)),
                   2 * (10 + 100 / 3.0));
}

// The same devices where tiers differ in their latencies alone.
TEST(AllToAll, TellsEqualRatesApartByLatency) {
  Platform platform = small_platform();
  for (Tier& tier : platform.tiers) tier.bandwidth = gigabytes_per_second(50);
  EXPECT_DOUBLE_EQ(microseconds_of(all_to_all(platform, {DeviceId(6), 3})(kMegabyte)), 2 * (10 + 20 / 3.0));
}

// Devices 0, 4, 8, 12: one peer of each in its node, two beyond.
TEST(AllToAll, CountsPeersOfStridedGroups) {
  EXPECT_DOUBLE_EQ(microseconds_of(all_to_all(small_platform(), {DeviceId(0), 4, 4})(kMegabyte)),
                   (2 + 5) + 2 * (10 + 25));
}

TEST(Collectives, TakeNoTimeInAGroupOfOne) {
  const Platform platform = small_platform();
  const DeviceGroup one{DeviceId(5), 1};
  for (const auto& collective : {all_gather, reduce_scatter, all_reduce}) {
    EXPECT_EQ(collective(platform, one)(kMegabyte), Seconds(0));
  }
  EXPECT_EQ(all_to_all(platform, one)(kMegabyte), Seconds(0));
}

TEST(Collectives, RefuseDevicesOutsideThePlatform) {
  EXPECT_THROW(all_gather(small_platform(), DeviceGroup{DeviceId(60), 8}), ContractBreach);
  EXPECT_THROW(all_to_all(small_platform(), {DeviceId(60), 8}), ContractBreach);
}

}  // namespace
}  // namespace spillway
