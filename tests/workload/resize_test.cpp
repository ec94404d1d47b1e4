// Qwen2-VL's smart_resize, held against values worked out by hand from its definition.
#include <gtest/gtest.h>

#include <ostream>

#include "support/property.h"
#include "workload/images.h"

namespace spillway {

void PrintTo(ImageSize size, std::ostream* out) {
  *out << size.width << "x" << size.height;
}

namespace {

ImageSize resized_to(std::uint32_t width, std::uint32_t height, const ResizeRule& rule = {}) {
  return resized({width, height}, rule).value_or(ImageSize{0, 0});
}

TEST(Resize, RoundsEachSideToAMultipleOf28) {
  EXPECT_EQ(resized_to(640, 480), (ImageSize{644, 476}));    // 22.86 -> 23, 17.14 -> 17
  EXPECT_EQ(resized_to(640, 426), (ImageSize{644, 420}));    // 15.21 -> 15
  EXPECT_EQ(resized_to(1792, 560), (ImageSize{1792, 560}));  // exactly the bound: 64 x 20 x 28^2 = 1,003,520
}

TEST(Resize, AHalfGoesToTheEvenMultiple) {
  EXPECT_EQ(resized_to(70, 98), (ImageSize{56, 112}));    // 2.5 -> 2, 3.5 -> 4
  EXPECT_EQ(resized_to(98, 126), (ImageSize{112, 112}));  // 3.5 -> 4, 4.5 -> 4
}

TEST(Resize, ScalesDownBySquareRootAndFloors) {
  // 12 Mpx / 1,003,520 = 11.958; sqrt 3.4580; 4000 / 3.4580 = 1156.7 -> 41 x 28; 3000 / 3.4580 = 867.5 -> 30
  // x 28.
  EXPECT_EQ(resized_to(4000, 3000), (ImageSize{1148, 840}));
  EXPECT_EQ(resized_to(10000, 10000), (ImageSize{980, 980}));  // 1001.76 -> 35 x 28
}

TEST(Resize, ScalesUpBySquareRootAndCeils) {
  EXPECT_EQ(resized_to(1, 1), (ImageSize{56, 56}));
  EXPECT_EQ(resized_to(14, 14), (ImageSize{56, 56}));  // 0.5 rounds to 0: the area is 0, so it grows
  // beta = sqrt(3136 / 200) = 3.9598: 1 -> 3.96 -> 28, 200 -> 791.96 -> 812.
  EXPECT_EQ(resized_to(1, 200), (ImageSize{28, 812}));
}

TEST(Resize, ASideNeverFallsBelowOneToken) {
  ResizeRule rule;
  rule.max_pixels = 1000;
  rule.min_pixels = 1;
  // beta = sqrt(200 x 20 / 1000) = 2: 100 -> 84; 10 -> 0, kept at 28.
  EXPECT_EQ(resized_to(200, 20, rule), (ImageSize{84, 28}));
}

TEST(Resize, RefusesZeroSidesAndAspectsAbove200) {
  EXPECT_EQ(resized({0, 10}, {}), std::nullopt);
  EXPECT_EQ(resized({10, 0}, {}), std::nullopt);
  EXPECT_EQ(resized({20001, 100}, {}), std::nullopt);
  EXPECT_TRUE(resized({20000, 100}, {}).has_value());
}

TEST(Resize, CountsPatchesOf14Pixels) {
  EXPECT_EQ(patch_count({644, 476}, {}), 46u * 34u);
  EXPECT_EQ(patch_count({56, 56}, {}), 16u);
}

// The definition's three promises, over sizes of ordinary aspect.
RC_GTEST_PROP(Resize, KeepsItsPromises, ()) {
  const auto width = *rc::gen::inRange<std::uint32_t>(1, 20000);
  const auto height = *rc::gen::inRange<std::uint32_t>(width / 20 + 1, width * 20 + 1);
  const ResizeRule rule;
  const ImageSize size = resized({width, height}, rule).value();
  RC_ASSERT(size.width % 28 == 0u && size.height % 28 == 0u);
  RC_ASSERT(std::uint64_t{size.width} * size.height <= rule.max_pixels);
  RC_ASSERT(std::uint64_t{size.width} * size.height >= rule.min_pixels);
  RC_ASSERT(resized(size, rule).value() == size);  // a resized image stays as it is
}

}  // namespace
}  // namespace spillway
