// Distributions of patches and their summary, on cases small enough to compute by hand.
#include <gtest/gtest.h>

#include "base/error.h"
#include "workload/images.h"

namespace spillway {
namespace {

// 99 images of 56x56 (16 patches) and one of 112x112 (64 patches).
PatchDistribution hundred_images() {
  return patches_of({{{112, 112}, 1}, {{56, 56}, 99}}, ResizeRule{});
}

TEST(Patches, EqualCountsMergeInAscendingOrder) {
  // 112x28 and 56x56 both make 16 patches.
  const PatchDistribution d = patches_of({{{112, 112}, 1}, {{112, 28}, 2}, {{56, 56}, 1}}, ResizeRule{});
  EXPECT_EQ(d.patches, (std::vector<std::uint32_t>{16, 64}));
  EXPECT_EQ(d.cumulative, (std::vector<double>{0.75, 1.0}));
  EXPECT_EQ(d.images, 4u);
  EXPECT_EQ(d.patches_per_token, 4u);
}

TEST(Patches, APercentileIsTheSmallestValueWithThatShareAtOrBelowIt) {
  const PatchSummary s = summary(hundred_images());
  EXPECT_EQ(s.p1, 16u);
  EXPECT_EQ(s.p99, 16u);  // 99 of 100 are at or below 16: the share is reached exactly
  EXPECT_EQ(s.max, 64u);
}

TEST(Patches, ADecimalShareIsReachedInSpiteOfRounding) {
  // 0.1 summed nine times in doubles falls short of 0.9.
  std::vector<TokenShare> tenths;
  for (std::uint32_t tokens = 1; tokens <= 10; ++tokens) tenths.push_back({tokens, 0.1});
  EXPECT_EQ(summary(patches_of(tenths, ResizeRule{})).p90, 36u);
}

TEST(Patches, MeanAndCoefficientOfVariation) {
  const PatchSummary s = summary(patches_of({{{56, 56}, 1}, {{112, 84}, 1}}, ResizeRule{}));
  EXPECT_DOUBLE_EQ(s.mean, 32.0);  // 16 and 48
  EXPECT_DOUBLE_EQ(s.cv, 0.5);     // deviation 16
}

TEST(Patches, ImagesScaledDownAreAtTheCap) {
  const PatchDistribution d = patches_of({{{4000, 3000}, 1}, {{1792, 560}, 3}}, ResizeRule{});
  EXPECT_DOUBLE_EQ(d.at_cap_fraction, 0.25);  // the second size is exactly the largest allowed
}

TEST(Patches, TokensBecomeFourPatchesEach) {
  const PatchDistribution d =
      patches_of(std::vector<TokenShare>{{10, 0.25}, {0, 0.5}, {4, 0.25}}, ResizeRule{});
  EXPECT_EQ(d.patches, (std::vector<std::uint32_t>{0, 16, 40}));
  EXPECT_EQ(d.cumulative, (std::vector<double>{0.5, 0.75, 1.0}));
  EXPECT_EQ(d.images, 0u);
  EXPECT_DOUBLE_EQ(d.at_cap_fraction, 0.25);
}

TEST(Patches, NothingIsNoDistribution) {
  EXPECT_THROW(patches_of(std::vector<SizeCount>{}, ResizeRule{}), ContractBreach);
  EXPECT_THROW(patches_of(std::vector<SizeCount>{{{0, 5}, 1}}, ResizeRule{}), ContractBreach);
  EXPECT_THROW(patches_of(std::vector<TokenShare>{{0, 1.0}}, ResizeRule{}), ContractBreach);
}

}  // namespace
}  // namespace spillway
