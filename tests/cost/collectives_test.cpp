// Which algorithm a platform's library chooses, and when a measured sweep replaces it.
#include "cost/network/collectives.h"

#include <gtest/gtest.h>

#include "cost/network/collective_layout.h"
#include "small_platform.h"
#include "support/property.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

constexpr Bytes kMegabyte(1e6);

double microseconds_of(Seconds time) {
  return time.value() * 1e6;
}

Platform small_ascend() {
  Platform platform = small_platform();
  platform.library = CollectiveLibrary::Hccl;
  return platform;
}

TEST(PointToPoint, IsLatencyAndBytesOverTheTierBetween) {
  const Platform platform = small_platform();
  const auto from_zero = [&](std::uint32_t to) {
    return microseconds_of(point_to_point(platform, DeviceId(0), DeviceId(to))(kMegabyte).time);
  };
  EXPECT_DOUBLE_EQ(from_zero(1), 1 + 10);
  EXPECT_DOUBLE_EQ(from_zero(2), 2 + 20);
  EXPECT_DOUBLE_EQ(from_zero(9), 10 + 100);
  EXPECT_EQ(point_to_point(platform, DeviceId(9), DeviceId(0))(kMegabyte).time,
            point_to_point(platform, DeviceId(0), DeviceId(9))(kMegabyte).time);
  EXPECT_EQ(from_zero(0), 0);
}

TEST(Collectives, TakeNoTimeInAGroupOfOne) {
  for (const CollectiveOperation operation : {AllGather, ReduceScatter, AllReduce, AllToAll}) {
    EXPECT_EQ(collective_time(small_platform(), operation, {DeviceId(5), 1})(kMegabyte).time, Seconds(0));
  }
}

TEST(Collectives, RefuseDevicesOutsideThePlatformOrTwice) {
  EXPECT_THROW(collective_time(small_platform(), AllToAll, {DeviceId(60), 8}), ContractBreach);
  EXPECT_THROW(collective_time(small_platform(), AllToAll, {DeviceId(0), 4, 1, 2, 2}), ContractBreach);
}

// With one device on each of sixteen nodes a ring takes 30 steps and a tree 8; a large vector uses the ring.
TEST(Nccl, TakesTheTreeForFewBytesAmongManyNodes) {
  Platform platform = small_platform();
  platform.tiers.back().devices = 128;
  const CollectiveTime time = collective_time(platform, AllReduce, {DeviceId(0), 16, 8});
  EXPECT_EQ(time(Bytes(1024)).algorithm, Algorithm::Tree);
  EXPECT_EQ(time(Bytes(1e8)).algorithm, Algorithm::Ring);
}

TEST(Nccl, SendsToEveryoneAtOnce) {
  EXPECT_EQ(collective_time(small_platform(), AllToAll, {DeviceId(0), 16})(kMegabyte).algorithm,
            Algorithm::Mesh);
}

// Four devices of a node use a mesh up to 4 MiB; its two steps take 2 (2 us + 3/4 n / 50 GB/s).
TEST(Hccl, MeshesSmallVectorsInAServerAndRingsLargeOnes) {
  const CollectiveTime time = collective_time(small_ascend(), AllReduce, {DeviceId(0), 4, 2});
  EXPECT_EQ(time(Bytes(4 << 20)).algorithm, Algorithm::Mesh);
  EXPECT_NEAR(microseconds_of(time(kMegabyte).time), 2 * (2 + 15), 1e-9);
  EXPECT_EQ(time(Bytes((4 << 20) + 1)).algorithm, Algorithm::Ring);
}

// The stated wiring decides for eight devices of a node: slow pairs that fit the port together are no mesh.
TEST(Hccl, NeverRingsAServerWiredAsAMesh) {
  Platform platform = small_ascend();
  platform.tiers.erase(platform.tiers.begin());
  platform.tiers[0].bandwidth = gigabytes_per_second(7);
  const auto taken = [&] {
    return collective_time(platform, AllReduce, {DeviceId(0), 8})(Bytes(1e9)).algorithm;
  };
  EXPECT_EQ(taken(), Algorithm::Ring);
  platform.tiers[0].wiring = Wiring::Mesh;
  EXPECT_EQ(taken(), Algorithm::Mesh);
}

TEST(Hccl, GoesByLevelsBetweenServers) {
  const CollectiveTime time = collective_time(small_ascend(), AllReduce, {DeviceId(0), 16});
  EXPECT_EQ(time(Bytes(1e9)).algorithm, Algorithm::Hierarchical);
  const CollectiveTime one_each = collective_time(small_ascend(), AllReduce, {DeviceId(0), 8, 8});
  EXPECT_EQ(one_each(kMegabyte).algorithm, Algorithm::HalvingDoubling);
}

// A sustained share slows only collectives whose widest tier states it, never a message between two devices.
RC_GTEST_PROP(Collectives, SustainAShareOfTheirRate, ()) {
  const Platform alone = *rc::gen::element(small_platform(), small_ascend());
  const DeviceGroup group{DeviceId(0), *rc::gen::inRange(2u, 18u)};
  const std::size_t widest = widest_tier(alone, devices_of(alone, group));
  Platform training = alone;
  training.tiers[widest].sustained = {0.5, Evidence::Assumed, "a test"};
  Platform elsewhere = alone;
  for (std::size_t i = 0; i < alone.tiers.size(); ++i)
    if (i != widest) elsewhere.tiers[i].sustained = {0.5, Evidence::Assumed, "a test"};
  const Bytes n(*rc::gen::inRange(1, 1 << 30));
  for (const CollectiveOperation operation : {AllGather, ReduceScatter, AllReduce, AllToAll}) {
    const Seconds time = collective_time(alone, operation, group)(n).time;
    RC_ASSERT(collective_time(training, operation, group)(n).time == time / 0.5);
    RC_ASSERT(collective_time(training, operation, group)(n).evidence == Evidence::Assumed);
    RC_ASSERT(collective_time(elsewhere, operation, group)(n).time == time);
  }
  const DeviceId last(group.size - 1);
  RC_ASSERT(point_to_point(training, DeviceId(0), last)(n).time ==
            point_to_point(alone, DeviceId(0), last)(n).time);
}

TEST(Collectives, SustainAShareOfAMeasuredRate) {
  Platform platform = small_platform();
  platform.tiers[0].collectives = {
      {AllGather,
       2,
       1,
       {{{kMegabyte, Seconds(1)}, {2 * kMegabyte, Seconds(2)}}, Evidence::Measured, "a sweep"}}};
  platform.tiers[0].sustained = {0.8, Evidence::Fitted, "a run"};
  const CollectiveEstimate estimate = collective_time(platform, AllGather, {DeviceId(0), 2})(1.5 * kMegabyte);
  EXPECT_EQ(estimate.algorithm, Algorithm::Measured);
  EXPECT_DOUBLE_EQ(estimate.time.value(), 1.5 / 0.8);
  EXPECT_EQ(estimate.evidence, Evidence::Fitted);
}

RC_GTEST_PROP(Collectives, TakeLongerForMoreBytes, ()) {
  Platform platform = *rc::gen::element(small_platform(), small_ascend());
  const DeviceGroup group{DeviceId(*rc::gen::inRange(0u, 8u)), *rc::gen::inRange(2u, 18u),
                          *rc::gen::inRange(1u, 4u)};
  for (const CollectiveOperation operation : {AllGather, ReduceScatter, AllReduce, AllToAll}) {
    const CollectiveTime time = collective_time(platform, operation, group);
    Seconds before = time(Bytes(0)).time;
    for (double n = 1; n < 1e10; n *= 3) {
      const Seconds now = time(Bytes(n)).time;
      RC_ASSERT(now > before);
      before = now;
    }
  }
}

// Groups of the same form that begin elsewhere lie alike in some tiers and not in others.
RC_GTEST_PROP(TimedCollectives, TakeWhatEachGroupTakesAlone, ()) {
  const Platform platform = *rc::gen::element(small_platform(), small_ascend());
  TimedCollectives timed(platform);
  const std::uint32_t size = *rc::gen::inRange(1u, 5u), stride = *rc::gen::inRange(1u, 5u),
                      blocks = *rc::gen::inRange(1u, 4u);
  for (std::uint32_t first = 0; first < 16; ++first) {
    const DeviceGroup group{DeviceId(first), size, stride, blocks, 16};
    for (const CollectiveOperation operation : {AllGather, ReduceScatter, AllReduce, AllToAll}) {
      for (const Carrier carrier : {Carrier::Library, Carrier::Dispatch, Carrier::Combine}) {
        const CollectiveTime& time = timed.of(operation, group, carrier);
        const CollectiveTime alone = collective_time(platform, operation, group, carrier);
        RC_ASSERT(time(kMegabyte).time == alone(kMegabyte).time);
        RC_ASSERT(time.through_port(kMegabyte) == alone.through_port(kMegabyte));
      }
    }
  }
}

}  // namespace
}  // namespace spillway
