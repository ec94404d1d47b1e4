// Groups of a stage's devices; the platform has pairs, nodes of 8 and a cluster of 64.
#include "cost/network/stage_groups.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace spillway {
namespace {

std::vector<std::uint32_t> devices(const DeviceGroup& group) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < group.device_count(); ++i) all.push_back(group.device(i).index());
  return all;
}

using Devices = std::vector<std::uint32_t>;

TEST(StageGroups, OneOfEveryKindThatLiesAlike) {
  const Parallelism parallelism{.tensor = 2, .context = 2};
  const DeviceGrid grid{2, 4, 4};
  const auto tensor = adjacent_groups(small_platform(), grid, RankId(1), parallelism.tensor);
  ASSERT_EQ(tensor.size(), 1U);  // all eight groups are pairs
  EXPECT_EQ(devices(tensor[0]), (Devices{16, 17}));
  const auto data = strided_groups(small_platform(), grid, RankId(0), parallelism.tensor);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(devices(data[0]), (Devices{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(devices(data[1]), (Devices{1, 3, 5, 7, 9, 11, 13, 15}));
}

// Groups of three lie in nodes of eight; the group at device 6 crosses into the next node.
TEST(StageGroups, ThatLieDifferentlyAreApart) {
  const auto groups = adjacent_groups(small_platform(), {1, 8, 3}, RankId(0), 3);
  ASSERT_GT(groups.size(), 1U);
  bool crosses = false;
  for (const DeviceGroup& group : groups) crosses |= group.first.index() / 8 != group.device(2).index() / 8;
  EXPECT_TRUE(crosses);
}

TEST(StageGroups, ExpertsSpanMembersAndReplicas) {
  const Parallelism parallelism{.tensor = 2, .expert = 4};
  const DeviceGrid grid{1, 4, 2};
  const auto expert = adjacent_groups(small_platform(), grid, RankId(0), parallelism.expert);
  ASSERT_EQ(expert.size(), 1U);
  EXPECT_EQ(devices(expert[0]), (Devices{0, 1, 2, 3}));
  const auto copies = strided_groups(small_platform(), grid, RankId(0), parallelism.expert);
  EXPECT_EQ(devices(copies[0]), (Devices{0, 4}));
}

TEST(StageGroups, RingsCloseOnThemselves) {
  const auto links = context_neighbours(small_platform(), {1, 1, 8}, RankId(0), {.tensor = 2, .context = 4});
  ASSERT_FALSE(links.empty());
  EXPECT_EQ(devices(links.front()), (Devices{0, 2}));
  const auto two_nodes = context_neighbours(small_platform(), {1, 1, 16}, RankId(0), {.context = 16});
  EXPECT_EQ(devices(two_nodes.back()), (Devices{0, 15}));
  EXPECT_TRUE(context_neighbours(small_platform(), {1, 1, 8}, RankId(0), {.tensor = 8}).empty());
}

TEST(StageGroups, OneDeviceIsNoGroup) {
  EXPECT_TRUE(adjacent_groups(small_platform(), {2, 2, 1}, RankId(0), 1).empty());
  EXPECT_TRUE(strided_groups(small_platform(), {2, 1, 1}, RankId(0), 1).empty());
}

}  // namespace
}  // namespace spillway
