// Work drawn from images: the draw's patches divided by the profile's.
#include <gtest/gtest.h>

#include "draws/given_draws.h"

namespace spillway {
namespace {

std::shared_ptr<const WorkloadSpec> images() {
  WorkloadSpec spec;
  spec.patches.patches = {100, 400, 2000};
  spec.patches.cumulative = {0.5, 0.9, 1.0};
  spec.images_per_sample = {{1, 3}, {0.8, 1.0}};
  spec.text_tokens = {{0}, {1.0}};
  spec.packing = Packing::Unpacked;
  return std::make_shared<const WorkloadSpec>(spec);
}

GivenCosts two_blocks() {
  GivenCosts costs;
  for (std::uint32_t profile_patches : {400u, 800u}) {
    BlockProfile& block = costs.blocks.emplace_back();
    block.forward = block.input_gradient = block.weight_gradient = Seconds(1);
    block.image_work = ImageWork{images(), profile_patches};
  }
  return costs;
}

GivenCosts drawn_of(const GivenCosts& costs, std::uint32_t microbatches, std::uint32_t replicas,
                    std::uint64_t seed, std::uint32_t draw) {
  SampleCache samples;
  return drawn(costs, {microbatches, replicas, seed, draw}, samples);
}

TEST(ImageDraws, AFactorIsPatchesOverThoseOfTheProfile) {
  const GivenCosts draw = drawn_of(two_blocks(), 20, 3, 5, 2);
  const Draw loads = sample(*images(), {20, 3, 5, 2});
  for (std::size_t replica = 0; replica < 3; ++replica) {
    for (std::size_t m = 0; m < 20; ++m) {
      double all = 0;
      for (const MediaItem& item : loads[replica][m].media) all += item.patches;
      EXPECT_EQ(draw.blocks[0].work[replica][m], all / 400);
      EXPECT_EQ(draw.blocks[1].work[replica][m], all / 800);
    }
  }
  EXPECT_TRUE(draw.blocks[0].backward_work.empty());  // then `work` applies
}

TEST(ImageDraws, FewerMicrobatchesSeeTheFirstOfMore) {
  SampleCache samples;
  const auto many = drawn(two_blocks(), {30, 2, 1, 0}, samples).blocks[0].work;
  const auto few = drawn(two_blocks(), {7, 1, 1, 0}, samples).blocks[0].work;
  ASSERT_EQ(few.size(), 1u);
  EXPECT_EQ(few[0], std::vector<double>(many[0].begin(), many[0].begin() + 7));
  EXPECT_EQ(few, drawn_of(two_blocks(), 7, 1, 1, 0).blocks[0].work);
}

TEST(ImageDraws, SeedDrawAndReplicaCount) {
  const auto work = drawn_of(two_blocks(), 20, 2, 1, 0).blocks[0].work;
  EXPECT_NE(work[0], work[1]);
  EXPECT_NE(work, drawn_of(two_blocks(), 20, 2, 2, 0).blocks[0].work);
  EXPECT_NE(work, drawn_of(two_blocks(), 20, 2, 1, 1).blocks[0].work);
}

TEST(ImageDraws, OtherBlocksStayAsTheyAreAndNothingIsLeftToDraw) {
  GivenCosts costs = two_blocks();
  costs.blocks[1].image_work.reset();
  costs.blocks[1].work = {{2, 3}};
  EXPECT_TRUE(is_drawn(costs));
  const GivenCosts draw = drawn_of(costs, 2, 1, 1, 0);
  EXPECT_FALSE(is_drawn(draw));
  EXPECT_EQ(draw.blocks[1].work, costs.blocks[1].work);
}

TEST(ImageDraws, GoBesideMeasuredOnes) {
  GivenCosts costs = two_blocks();
  costs.blocks[1].image_work.reset();
  costs.blocks[1].measured_work = {{{{2, 3}}}};
  const GivenCosts draw = drawn_of(costs, 2, 1, 1, 0);
  EXPECT_EQ(draw.blocks[0].work, drawn_of(two_blocks(), 2, 1, 1, 0).blocks[0].work);
  EXPECT_EQ(draw.blocks[1].work, (std::vector<std::vector<double>>{{2, 2}}));
  EXPECT_FALSE(is_drawn(draw));
}

}  // namespace
}  // namespace spillway
