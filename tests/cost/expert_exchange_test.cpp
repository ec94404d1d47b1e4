// Destinations of a token's copies, and the groups they are exchanged in.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "cost/network/expert_routing.h"
#include "small_platform.h"

namespace spillway {
namespace {

constexpr ExpertRouting kDeepSeekV3{256, 8, 8, 4};

// Counts over all choices: every subset of groups and every subset of their experts.
double parts_reached_by_counting(const ExpertRouting& r, std::uint32_t parts) {
  double reached = 0, choices = 0;
  const std::uint32_t in_group = r.experts / r.groups, in_part = r.experts / parts;
  for (std::uint32_t groups = 0; groups < 1U << r.groups; ++groups) {
    if (std::popcount(groups) != static_cast<int>(r.chosen_groups)) continue;
    for (std::uint32_t chosen = 0; chosen < 1U << r.experts; ++chosen) {
      if (std::popcount(chosen) != static_cast<int>(r.chosen)) continue;
      std::uint32_t hit = 0;
      bool allowed = true;
      for (std::uint32_t e = 0; e < r.experts; ++e) {
        if ((chosen >> e & 1) == 0) continue;
        allowed = allowed && (groups >> (e / in_group) & 1) != 0;
        hit |= 1U << (e / in_part);
      }
      if (!allowed) continue;
      choices += 1;
      reached += std::popcount(hit);
    }
  }
  return reached / choices;
}

TEST(PartsReached, IsTheMeanOverAllChoices) {
  for (const ExpertRouting& r :
       std::vector<ExpertRouting>{{12, 3, 1, 1}, {12, 3, 4, 2}, {12, 4, 6, 3}, {8, 2, 4, 1}}) {
    for (std::uint32_t parts = 1; parts <= r.experts; ++parts) {
      const bool divides = parts % r.groups == 0 || r.groups % parts == 0;
      if (r.experts % parts != 0 || !divides) continue;
      EXPECT_NEAR(parts_reached(r, parts), parts_reached_by_counting(r, parts), 1e-9)
          << r.experts << " " << r.groups << " " << parts;
    }
  }
}

// arXiv 2412.19437, section 2.1.2: a token goes to at most four nodes, on average to 3.6 if all choices are
// equally likely. It uses eight experts.
TEST(PartsReached, DeepSeekV3StaysOnFourNodes) {
  EXPECT_NEAR(parts_reached(kDeepSeekV3, 8), 3.629, 0.001);
  EXPECT_LT(parts_reached({256, 8}, 8), 5.4);
  EXPECT_GT(parts_reached({256, 8}, 8), 5.2);
  EXPECT_NEAR(parts_reached(kDeepSeekV3, 256), 8, 1e-9);
}

// If neither count divides the other, the group limit is ignored, which gives an upper bound.
TEST(PartsReached, LeavesTheLimitOutWhereGroupsAndPartsCross) {
  EXPECT_EQ(parts_reached({24, 3, 4, 2}, 6), parts_reached({24, 3}, 6));
}

TEST(ExchangeLevels, PerExpertIsOneAllToAll) {
  const auto levels =
      exchange_levels(small_platform(), {DeviceId(0), 8}, ExpertDispatch::PerExpert, kDeepSeekV3);
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].group.device_count(), 8U);
  EXPECT_EQ(levels[0].copies, 8);
}

TEST(ExchangeLevels, PerNodeCrossesOnceAndGoesOnInside) {
  Platform platform = small_platform();
  platform.tiers[0].name = "node";
  const std::uint32_t node = platform.tiers[0].devices, all = 2 * node;
  const auto levels = exchange_levels(platform, {DeviceId(0), all}, ExpertDispatch::PerNode, kDeepSeekV3);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].group.size, 2U);
  EXPECT_EQ(levels[0].group.stride, node);
  EXPECT_EQ(levels[0].copies, parts_reached(kDeepSeekV3, 2));
  EXPECT_EQ(levels[1].group.size, node);
  EXPECT_EQ(levels[1].copies, parts_reached(kDeepSeekV3, all));
  const auto inside = exchange_levels(platform, {DeviceId(0), node}, ExpertDispatch::PerNode, kDeepSeekV3);
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_EQ(inside[0].group.size, node);
}

}  // namespace
}  // namespace spillway
