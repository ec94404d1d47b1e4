// The tier that two devices talk over, and the places of a job's devices.
#include <gtest/gtest.h>

#include "small_platform.h"
#include "support/property.h"

namespace spillway {
namespace {

std::string tier(std::uint32_t a, std::uint32_t b) {
  return tier_between(small_platform(), DeviceId(a), DeviceId(b)).name;
}

TEST(TierBetween, TakesTheSmallestTierThatHoldsBoth) {
  EXPECT_EQ(tier(0, 1), "pair");
  EXPECT_EQ(tier(1, 2), "node");
  EXPECT_EQ(tier(6, 7), "pair");
  EXPECT_EQ(tier(0, 7), "node");
  EXPECT_EQ(tier(7, 8), "cluster");
  EXPECT_EQ(tier(0, 63), "cluster");
}

TEST(TierBetween, RefusesADeviceOutsideThePlatform) {
  EXPECT_THROW(tier(0, 64), ContractBreach);
}

RC_GTEST_PROP(TierBetween, IsSymmetricAndHoldsBoth, ()) {
  const auto a = *rc::gen::inRange<std::uint32_t>(0, 64);
  const auto b = *rc::gen::inRange<std::uint32_t>(0, 64);
  RC_PRE(a != b);
  RC_ASSERT(tier(a, b) == tier(b, a));
  const std::uint32_t size = tier_between(small_platform(), DeviceId(a), DeviceId(b)).devices;
  RC_ASSERT(a / size == b / size);
  if (size > 2) RC_ASSERT(a / (size == 8 ? 2 : 8) != b / (size == 8 ? 2 : 8));
}

// Megatron's order tp-dp-pp: members of a rank are neighbours, then replicas, then ranks.
TEST(DeviceGrid, PutsMembersThenReplicasThenRanks) {
  const DeviceGrid grid{3, 2, 4};
  EXPECT_EQ(grid.device_count(), 24U);
  EXPECT_EQ(grid.device(RankId(0), ReplicaId(0), 3), DeviceId(3));
  EXPECT_EQ(grid.device(RankId(0), ReplicaId(1), 0), DeviceId(4));
  EXPECT_EQ(grid.device(RankId(2), ReplicaId(1), 3), DeviceId(23));
}

}  // namespace
}  // namespace spillway
