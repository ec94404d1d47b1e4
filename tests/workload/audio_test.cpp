// Positions and tokens of clips, computed by hand from the encoders' code (workload/audio.h).
#include "workload/audio.h"

#include <gtest/gtest.h>

#include "specs.h"
#include "workload/workload.h"

namespace spillway {
namespace {

constexpr AudioRule kOmni2_5{.chunk = 200, .padded = false, .max_seconds = 300};
constexpr AudioRule kOmni3{.chunk = 100, .convolutions = 3, .pool = 1, .padded = false, .max_seconds = 300};

MediaItem clip(std::uint32_t positions, std::uint32_t tokens) {
  return {Modality::Audio, positions, 1, tokens, 0};
}

TEST(Audio, APaddedClipFillsItsWindow) {
  EXPECT_EQ(clip_item(10, {}), clip(1500, 250));
  EXPECT_EQ(clip_item(30, {}), clip(1500, 750));
  EXPECT_EQ(clip_item(45, {}), clip(1500, 750));  // cut off
  EXPECT_EQ(clip_item(45, {.max_seconds = 60}), (MediaItem{Modality::Audio, 3000, 2, 1125, 0}));
}

TEST(Audio, AnOmniClipHas25TokensASecond) {
  EXPECT_EQ(clip_item(10, kOmni2_5), clip(500, 250));
  EXPECT_EQ(clip_item(1.23, kOmni2_5), clip(62, 31));  // 123 frames
  EXPECT_EQ(clip_item(0.001, kOmni2_5), clip(1, 1));
  EXPECT_EQ(clip_item(1000, kOmni2_5), clip(15'000, 7500));
}

// 100 frames are 50, 25 and 13 positions.
TEST(Audio, Qwen3OmniHas13TokensASecond) {
  EXPECT_EQ(clip_item(10, kOmni3), clip(130, 130));
  EXPECT_EQ(clip_item(1.5, kOmni3), clip(20, 20));  // 13 and 50: 25, 13, 7
}

TEST(Audio, ADistributionCountsWhatIsCutOff) {
  const PatchDistribution clips = clips_of({{10, 1}, {40, 1}, {20, 2}}, {});
  EXPECT_EQ(clips.patches, (std::vector<std::uint32_t>{1500, 1500, 1500}));
  EXPECT_EQ(clips.items[1], clip(1500, 500));
  EXPECT_EQ(clips.images, 4u);
  EXPECT_DOUBLE_EQ(clips.at_cap_fraction, 0.25);
}

// A sample has two images of 100 tokens, 50 of text, and a clip of 250: two of them fill 1,000 tokens.
TEST(Audio, SamplesHaveClipsBesideImages) {
  WorkloadSpec spec = regular();
  spec.clips = clips_of({{10, 1}}, {});
  spec.clips_per_sample = always(1);
  const MicrobatchLoad load = sample(spec, {1, 1, 1, 0})[0][0];
  EXPECT_EQ(load.samples, 2u);
  EXPECT_EQ(load.image_tokens, 400u);
  EXPECT_EQ(load.audio_tokens, 500u);
  EXPECT_EQ(load.text_tokens, 100u);
  ASSERT_EQ(load.media.size(), 6u);
  EXPECT_EQ(load.media[2], clip(1500, 250));
  EXPECT_EQ(load.each[0], (SampleLoad{3, 200, 50, 250}));
  EXPECT_EQ(load.documents, (std::vector<std::uint32_t>{500, 500}));
}

// max_patches are those of images: a clip stays.
TEST(Audio, ImagesAreDroppedForPatchesAndClipsForTokens) {
  WorkloadSpec spec = regular();
  spec.clips = clips_of({{10, 1}}, {});
  spec.clips_per_sample = always(1);
  spec.max_patches = 500;
  const MicrobatchLoad few = sample(spec, {1, 1, 1, 0})[0][0];
  EXPECT_EQ(few.media, (std::vector<MediaItem>{{Modality::Vision, 400, 1, 100, 0}, clip(1500, 250)}));
  EXPECT_EQ(few.dropped, (Dropped{1, 1, 100, 0, 0, 0}));
  spec.max_patches = kMostPatches;
  spec.sequence_tokens = 300;
  const MicrobatchLoad small = sample(spec, {1, 1, 1, 0})[0][0];
  EXPECT_EQ(small.audio_tokens, 0u);
  EXPECT_EQ(small.dropped, (Dropped{1, 0, 0, 0, 1, 250}));
}

TEST(Audio, ChangesNoSampleWithoutIt) {
  WorkloadSpec with = varied();
  with.clips = clips_of({{10, 1}}, {});
  EXPECT_EQ(sample(with, {4, 2, 7, 1}), sample(varied(), {4, 2, 7, 1}));
}

// A video brings its timestamps as text.
TEST(Audio, TimestampsOfAVideoAreText) {
  WorkloadSpec spec = regular();
  spec.patches = {{400}, {1.0}, {MediaItem{Modality::Vision, 400, 4, 100, 20}}};
  const MicrobatchLoad load = sample(spec, {1, 1, 1, 0})[0][0];
  EXPECT_EQ(load.samples, 3u);  // 100 + 20 twice, and 50 of text
  EXPECT_EQ(load.text_tokens, 270u);
  EXPECT_EQ(load.image_tokens, 600u);
}

}  // namespace
}  // namespace spillway
