// Frames, patches and tokens of videos, computed by hand from the processors' code (workload/videos.h).
#include "workload/videos.h"

#include <gtest/gtest.h>

#include "workload/images.h"

namespace spillway {
namespace {

constexpr ImageSize kHd{1280, 720};

ResizeRule qwen3_rule() {
  return {.patch = 16, .min_pixels = 65'536, .max_pixels = 16'777'216, .video = qwen3_video_rule()};
}

MediaItem seconds(double length, const ResizeRule& rule = {}) {
  return video_item(kHd, {.seconds = length}, rule);
}

// 20 frames. 602,112 pixels a frame: 36 x 20 squares of 28 pixels.
TEST(Videos, AFrameHasAtMostItsPixels) {
  EXPECT_EQ(resized_frame(kHd, 20, {}), (ImageSize{1008, 560}));
  EXPECT_EQ(seconds(10), (MediaItem{Modality::Vision, 10 * 72 * 40, 10, 10 * 36 * 20, 0}));
}

// 768 frames, the most. 90,316,800 pixels x 2 / 768 = 235,200 of a frame: 23 x 12 squares.
TEST(Videos, AllFramesShareABudget) {
  EXPECT_EQ(seconds(1000), (MediaItem{Modality::Vision, 384 * 46 * 24, 384, 384 * 23 * 12, 0}));
}

// A budget of almost nothing still leaves 1.05 x 100,352 = 105,369 pixels: 15 x 8 squares.
TEST(Videos, AFrameHasAFloorInAnyBudget) {
  ResizeRule rule;
  rule.video.total_pixels = 1;
  EXPECT_EQ(resized_frame(kHd, 20, rule), (ImageSize{15 * 28, 8 * 28}));
}

TEST(Videos, FramesAreWholeTemporalPatches) {
  const VideoRule rule;
  const auto frames = [&](double length) { return sampled_frames({.seconds = length}, rule); };
  EXPECT_EQ(frames(0.1), 4u);  // the least
  EXPECT_EQ(frames(2.9), 4u);  // 5.8
  EXPECT_EQ(frames(3.0), 6u);
  EXPECT_EQ(frames(384.9), 768u);
  EXPECT_EQ(frames(5000), 768u);
  EXPECT_EQ(sampled_frames({.frames = 5}, rule), 4u);  // 2.5 is rounded to even
  EXPECT_EQ(sampled_frames({.frames = 7}, rule), 8u);
  EXPECT_EQ(sampled_frames({.frames = 1}, rule), 2u);
}

// 20 x 704 x 1280 pixels stay below the bound. Timestamps 0.2 to 9.2 take 6 tokens, and marks 2.
TEST(Videos, Qwen3BoundsTheWholeVideo) {
  const ResizeRule rule = qwen3_rule();
  EXPECT_EQ(resized_frame(kHd, 20, rule), (ImageSize{1280, 704}));
  EXPECT_EQ(seconds(10, rule), (MediaItem{Modality::Vision, 10 * 80 * 44, 10, 10 * 40 * 22, 10 * 8}));
}

// 200 frames in 25,165,824 pixels: 14 x 8 squares of 32. Ten timestamps have one digit before the point, the
// other 90 have two.
TEST(Videos, Qwen3ShrinksALongVideo) {
  EXPECT_EQ(seconds(100, qwen3_rule()),
            (MediaItem{Modality::Vision, 100 * 28 * 16, 100, 100 * 14 * 8, 10 * 8 + 90 * 9}));
}

TEST(Videos, Qwen3PadsAnOddFrame) {
  EXPECT_EQ(sampled_frames({.seconds = 2.6}, qwen3_video_rule()), 5u);
  EXPECT_EQ(seconds(2.6, qwen3_rule()).parts, 3u);
}

TEST(Videos, OnlySomeRulesTakeThem) {
  EXPECT_TRUE(takes_videos({}));
  EXPECT_FALSE(takes_videos({.by = Resizing::Tiles, .side = 448}));
}

TEST(Videos, AreItemsOfADistributionBesideImages) {
  const PatchDistribution both =
      patches_of({{{28, 28}, 1}, {kHd, 3, {.seconds = 10}}, {{56, 56}, 1}}, ResizeRule{});
  EXPECT_EQ(both.images, 5u);
  EXPECT_EQ(both.videos, 3u);
  EXPECT_EQ(both.patches, (std::vector<std::uint32_t>{16, 28'800}));
  ASSERT_EQ(both.items.size(), 2u);
  EXPECT_EQ(both.items[0], (MediaItem{Modality::Vision, 16, 1, 4, 0}));
  EXPECT_EQ(both.items[1], seconds(10));
  EXPECT_DOUBLE_EQ(both.cumulative[0], 0.4);
  EXPECT_DOUBLE_EQ(both.at_cap_fraction, 0.6);
}

TEST(Videos, ADistributionOfImagesHasNoItems) {
  EXPECT_TRUE(patches_of({{{640, 480}, 1}}, ResizeRule{}).items.empty());
}

}  // namespace
}  // namespace spillway
