// Draws from measured work: seeded, by replica, of whole microbatches.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "draws/given_draws.h"

namespace spillway {
namespace {

constexpr std::uint32_t kCases = 5, kMicrobatches = 4;

// Encodes a factor's block, case, microbatch and direction.
double mark(std::uint32_t block, std::uint32_t at, std::uint32_t microbatch, bool backward) {
  return 1000 * (block + 1) + 100 * at + 10 * microbatch + (backward ? 1 : 0);
}

GivenCosts marked() {
  GivenCosts costs;
  for (std::uint32_t block = 0; block < 2; ++block) {
    BlockProfile& profile = costs.blocks.emplace_back();
    profile.forward = profile.input_gradient = profile.weight_gradient = Seconds(1);
    for (std::uint32_t at = 0; at < kCases; ++at) {
      auto& microbatches = profile.measured_work.emplace_back().emplace_back();
      for (std::uint32_t m = 0; m < kMicrobatches; ++m)
        microbatches.push_back({mark(block, at, m, false), mark(block, at, m, true)});
    }
  }
  return costs;
}

GivenCosts drawn(GivenCosts costs, std::uint32_t microbatches, std::uint32_t replicas, std::uint64_t seed,
                 std::uint32_t draw) {
  draw_measured_work(costs, {microbatches, replicas, seed, draw});
  return costs;
}

std::uint32_t case_of(double factor) {
  return static_cast<std::uint32_t>(factor / 100) % 10;
}

TEST(MeasuredDraws, AsManyMicrobatchesAsMeasuredKeepTheirOrder) {
  const GivenCosts draw = drawn(marked(), kMicrobatches, 3, 1, 0);
  for (std::uint32_t block = 0; block < 2; ++block) {
    for (std::uint32_t replica = 0; replica < 3; ++replica) {
      const std::uint32_t at = case_of(draw.blocks[0].work[replica][0]);
      for (std::uint32_t m = 0; m < kMicrobatches; ++m) {
        EXPECT_EQ(draw.blocks[block].work[replica][m], mark(block, at, m, false));
        EXPECT_EQ(draw.blocks[block].backward_work[replica][m], mark(block, at, m, true));
      }
    }
  }
}

TEST(MeasuredDraws, OtherCountsAreDrawnFromOneCaseAndMicrobatchesStayWhole) {
  const GivenCosts draw = drawn(marked(), 40, 2, 1, 0);
  for (std::uint32_t replica = 0; replica < 2; ++replica) {
    const std::vector<double>& first = draw.blocks[0].work[replica];
    ASSERT_EQ(first.size(), 40u);
    EXPECT_EQ(std::set<double>(first.begin(), first.end()).size(), kMicrobatches);
    for (std::size_t m = 0; m < first.size(); ++m) {
      EXPECT_EQ(case_of(first[m]), case_of(first[0]));
      EXPECT_EQ(draw.blocks[0].backward_work[replica][m], first[m] + 1);
      EXPECT_EQ(draw.blocks[1].work[replica][m], first[m] + 1000);
    }
  }
}

// Groups the cases into steps of two replicas, the last of one: cases 0 and 1, 2 and 3, 4.
GivenCosts in_pairs() {
  GivenCosts costs = marked();
  for (BlockProfile& profile : costs.blocks) {
    const MeasuredWork singly = profile.measured_work;
    profile.measured_work = {{singly[0][0], singly[1][0]}, {singly[2][0], singly[3][0]}, singly[4]};
  }
  return costs;
}

TEST(MeasuredDraws, AsManyReplicasAsMeasuredAreThoseOfOneStep) {
  std::set<std::uint32_t> first;
  for (std::uint32_t draw = 0; draw < 40; ++draw) {
    for (std::uint32_t microbatches : {kMicrobatches, 9u}) {
      const BlockProfile block = drawn(in_pairs(), microbatches, 2, 1, draw).blocks[0];
      first.insert(case_of(block.work[0][0]));
      EXPECT_EQ(case_of(block.work[1][0]), case_of(block.work[0][0]) + 1);
    }
  }
  EXPECT_EQ(first, (std::set<std::uint32_t>{0, 2}));
}

TEST(MeasuredDraws, OtherReplicasTakeAnyCase) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t draw = 0; draw < 40; ++draw) {
    const GivenCosts costs = drawn(in_pairs(), kMicrobatches, 3, 1, draw);
    for (const auto& work : costs.blocks[0].work) seen.insert(case_of(work[0]));
  }
  EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(MeasuredDraws, EveryCaseComesUpAboutEquallyOften) {
  std::vector<int> seen(kCases);
  for (std::uint32_t draw = 0; draw < 1000; ++draw)
    ++seen[case_of(drawn(marked(), kMicrobatches, 1, 7, draw).blocks[0].work[0][0])];
  for (int count : seen) EXPECT_NEAR(count, 200, 4 * std::sqrt(1000 * 0.2 * 0.8));
}

TEST(MeasuredDraws, ReplicaAndDrawDependOnNothingElse) {
  const GivenCosts few = drawn(marked(), 9, 2, 3, 5), many = drawn(marked(), 9, 6, 3, 5);
  for (std::uint32_t replica = 0; replica < 2; ++replica)
    EXPECT_EQ(few.blocks[0].work[replica], many.blocks[0].work[replica]);
  EXPECT_EQ(drawn(marked(), 9, 2, 3, 5).blocks[1].work, few.blocks[1].work);
  EXPECT_NE(drawn(marked(), 9, 2, 3, 6).blocks[0].work, few.blocks[0].work);
  EXPECT_NE(drawn(marked(), 9, 2, 4, 5).blocks[0].work, few.blocks[0].work);
}

TEST(MeasuredDraws, BlocksWithoutMeasurementStayAsTheyAre) {
  GivenCosts costs = marked();
  costs.blocks[0].measured_work.clear();
  costs.blocks[0].work = {{2, 3}};
  const GivenCosts draw = drawn(costs, kMicrobatches, 1, 1, 0);
  EXPECT_EQ(draw.blocks[0].work, costs.blocks[0].work);
  EXPECT_TRUE(draw.blocks[0].backward_work.empty());
  EXPECT_TRUE(is_drawn(costs));
  EXPECT_FALSE(is_drawn(draw));
}

}  // namespace
}  // namespace spillway
