// The load of a collective on ports, by hand; no algorithm and no sweep is faster than its ports allow.
#include <gtest/gtest.h>

#include "cost/network/collective_layout.h"
#include "cost/network/collectives.h"
#include "small_platform.h"
#include "support/property.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

double share(CollectiveOperation operation, const DeviceGroup& group, AddedUp added_up = AddedUp::ByDevices) {
  const Platform platform = small_platform();
  return port_share(platform, operation, devices_of(platform, group), added_up);
}

// Four devices of a node, one of each pair, each send and receive three quarters.
TEST(PortLoad, OfDevicesThatStandAlone) {
  const DeviceGroup alone{DeviceId(0), 4, 2};
  EXPECT_DOUBLE_EQ(share(AllGather, alone), 0.75);
  EXPECT_DOUBLE_EQ(share(ReduceScatter, alone), 0.75);
  EXPECT_DOUBLE_EQ(share(AllReduce, alone), 1.5);
  EXPECT_DOUBLE_EQ(share(AllReduce, alone, AddedUp::BySwitchesOrDevices), 1);
  EXPECT_DOUBLE_EQ(share(AllToAll, alone), 0.75);
}

// Each of two nodes of eight devices lacks half, which arrives over its eight ports together.
TEST(PortLoad, OfNodesIsSharedByTheirPorts) {
  const DeviceGroup nodes{DeviceId(0), 16};
  EXPECT_DOUBLE_EQ(share(AllGather, nodes), 0.5 / 8);
  EXPECT_DOUBLE_EQ(share(AllReduce, nodes), 1.0 / 8);
  EXPECT_DOUBLE_EQ(share(AllToAll, nodes), 0.5);
  EXPECT_DOUBLE_EQ(share(SendRecv, {DeviceId(0), 2, 8}), 1);
}

// Three devices lie in one node and one in another; the single device's port carries all that its node lacks.
TEST(PortLoad, IsThatOfTheSmallestPart) {
  const DeviceGroup uneven{DeviceId(5), 4};
  EXPECT_DOUBLE_EQ(share(AllGather, uneven), 0.75);
}

rc::Gen<DeviceGroup> some_group() {
  return rc::gen::exec([] {
    const auto size = *rc::gen::inRange<std::uint32_t>(2, 17);
    const auto stride = *rc::gen::inRange<std::uint32_t>(1, 4);
    return DeviceGroup{DeviceId(*rc::gen::inRange<std::uint32_t>(0, 16)), size, stride};
  });
}

Platform slower(Platform platform, double by) {
  for (NetworkPort& port : platform.ports) port.bandwidth.value = port.bandwidth.value / by;
  for (Tier& tier : platform.tiers) tier.bandwidth.value = tier.bandwidth.value / by;
  return platform;
}

// Adds a sweep of any operation among any devices, with any time.
Platform swept(Platform platform, CollectiveOperation operation, const DeviceGroup& group, Seconds time) {
  const Devices devices = devices_of(platform, group);
  const std::uint32_t neighbours = common_size(by_inner_group(platform, devices));
  platform.tiers[widest_tier(platform, devices)].collectives = {
      {operation, group.device_count(), neighbours, {{{Bytes(1e6), time}}, Evidence::Measured, "test"}}};
  return platform;
}

// Links ten times slower carry the same load, and never take longer for it than the collective takes.
RC_GTEST_PROP(PortLoad, IsCarriedInTheTimeOfTheCollectiveAtAnySpeed, ()) {
  Platform platform = small_platform();
  platform.library = *rc::gen::element(CollectiveLibrary::Nccl, CollectiveLibrary::Hccl);
  const auto operation = *rc::gen::element(AllReduce, AllGather, ReduceScatter, AllToAll);
  const DeviceGroup group = *some_group();
  if (*rc::gen::arbitrary<bool>())
    platform = swept(platform, operation, group, microseconds(*rc::gen::inRange(1, 1000)));
  const Bytes n(1e6);
  const Devices devices = devices_of(platform, group);
  const NetworkPort& port = platform.ports[platform.tiers[widest_tier(platform, devices)].port];
  const CollectiveTime time = collective_time(platform, operation, group);
  RC_ASSERT(time.through_port(n) > Bytes());
  RC_ASSERT(time.through_port(n) / port.bandwidth.value <= time(n).time * (1 + 1e-12));
  const CollectiveTime late = collective_time(slower(platform, 10), operation, group);
  RC_ASSERT(late.through_port(n) == time.through_port(n));
  RC_ASSERT(late(n).time >= time(n).time);
}

// The port needs 10 us for 1e6 bytes among a node's four at 50 GB/s: two of each pair share it, 1e6 / 2 each.
// A sweep below that is raised to it.
TEST(PortLoad, BoundsASweepFromBelow) {
  const DeviceGroup group{DeviceId(0), 4};
  const CollectiveTime quick =
      collective_time(swept(small_platform(), AllReduce, group, microseconds(1)), AllReduce, group);
  EXPECT_DOUBLE_EQ(quick(Bytes(1e6)).time.value(), 0.5e6 / 50e9);
  EXPECT_EQ(quick(Bytes(1e6)).evidence, Evidence::Assumed);  // the port's
  const CollectiveTime slow =
      collective_time(swept(small_platform(), AllReduce, group, microseconds(20)), AllReduce, group);
  EXPECT_EQ(slow(Bytes(1e6)).time, microseconds(20));
  EXPECT_EQ(slow(Bytes(1e6)).evidence, Evidence::Measured);
}

}  // namespace
}  // namespace spillway
