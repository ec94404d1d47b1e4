// Audio towers: parameters against published counts, work of the convolutions by hand, items of several
// parts.
#include <gtest/gtest.h>

#include "cost/layers/architecture.h"
#include "cost/layers/layer_cost.h"
#include "cost/slabs/encoder_spread.h"

namespace spillway {
namespace {

std::uint64_t audio_parameters(const AudioTower& tower) {
  return cost_of(layers_of(tower)).parameters();
}

AudioTower qwen2_5_omni() {
  return {.output_dim = 3584,
          .extra_embeddings = 2,
          .window_positions = 100,
          .rule = {.chunk = 200, .padded = false, .max_seconds = 300}};
}

AudioTower qwen3_omni() {
  return {.output_dim = 2048,
          .downsample_hidden_size = 480,
          .window_positions = 104,
          .key_bias = true,
          .hidden_projection = true,
          .rule = {.chunk = 100, .convolutions = 3, .pool = 1, .padded = false, .max_seconds = 300}};
}

// The encoder of Whisper large-v3 has 636,968,960 parameters, stored positions included. A projector of one
// product stands behind it.
TEST(AudioTower, HasWhispersParameters) {
  const std::uint64_t projector = 1280 * 1280 + 1280;
  EXPECT_EQ(audio_parameters({.num_position_embeddings = 1500}), 636'968'960 + projector);
}

// Without stored positions, with a wider projector and two rows of marks.
TEST(AudioTower, HasOmnisParameters) {
  const std::uint64_t whisper = 636'968'960 - 1500 * 1280;
  EXPECT_EQ(audio_parameters(qwen2_5_omni()), whisper + (1280 * 3584 + 3584) + 2 * 3584);
}

// Convolutions of 3 x 3: 1 to 480, twice 480 to 480; then 16 bins x 480 channels to 1280 without a bias.
TEST(AudioTower, HasQwen3OmnisParameters) {
  const std::uint64_t convolutions = (9 * 480 + 480) + 2 * (9 * 480 * 480 + 480) + 16 * 480 * 1280;
  const std::uint64_t layer = 4 * (1280 * 1280 + 1280) + 2 * (2 * 1280) + (2 * 1280 * 5120 + 5120 + 1280);
  const std::uint64_t projector = (1280 * 1280 + 1280) + (1280 * 2048 + 2048);
  EXPECT_EQ(audio_parameters(qwen3_omni()), convolutions + 32 * layer + 2 * 1280 + projector);
}

Flops front_per_position(const AudioTower& tower) {
  Flops all;
  const Layer front = layers_of(tower).front();
  for (const Operator& op : front.operators)
    if (op.name == "frame convolution") all += op.weights_per_token();
  return all;
}

// Two mel frames make a position: the first convolution runs on each, the second once.
TEST(AudioTower, ConvolutionsRunOverFrames) {
  EXPECT_DOUBLE_EQ(front_per_position(qwen2_5_omni()).value(), 2.0 * (2 * 3 * 128 * 1280 + 3 * 1280 * 1280));
}

// Chunks of 100 frames and 128 bins: outputs of 50 x 64, 25 x 32 and 13 x 16, and 13 positions.
TEST(AudioTower, ConvolutionsRunOverFramesAndBins) {
  const double macs = 50 * 64 * 9 * 480 + (25 * 32 + 13 * 16) * 9.0 * 480 * 480 + 13 * 7680.0 * 1280;
  EXPECT_NEAR(front_per_position(qwen3_omni()).value(), 2 * macs / 13, 1e-3);
}

// A frozen or trained convolution keeps the frames that it reads, not each of them three times.
TEST(AudioTower, AConvolutionKeepsItsInputOnce) {
  const Layer front = layers_of(qwen2_5_omni()).front();
  std::vector<double> kept;
  for (const Operator& op : front.operators)
    if (op.name == "frame convolution") kept.push_back(op.kept.for_backward.value());
  EXPECT_EQ(kept, (std::vector<double>{2 * 2 * 128, 2 * 2 * 1280}));
}

TEST(AudioTower, StackRunsOverPositions) {
  const LayerStack stack = layer_stack(qwen2_5_omni());
  EXPECT_EQ(stack.unit, LoadUnit::Patch);
  EXPECT_EQ(stack.modality, Modality::Audio);
  EXPECT_EQ(stack.input, Bytes(2 * 2 * 128));
  EXPECT_EQ(stack.layers.size(), 32u);
}

TEST(AudioTower, AttentionStaysInWindows) {
  const LayerCost cost = cost_of(layers_of(qwen2_5_omni()));
  EXPECT_EQ(cost.window, 100u);
  EXPECT_EQ(cost.windowed_pairs(500), 5 * 100 * 100);
  EXPECT_EQ(cost.mixing_per_pair, Flops());
}

// Patches of a video attend within their temporal patch: 10 x 100^2 pairs, not 1000^2.
TEST(MediaItems, PartsAttendByThemselves) {
  const std::vector<MediaItem> items = {
      {Modality::Vision, 1000, 10, 250, 0}, {Modality::Audio, 500, 1, 250, 0}, 100};
  const ImageFlops work{Flops(0), Flops(1)};
  const auto alone = spread_images(items, 1, work);
  EXPECT_EQ(alone[0], (DeviceImages{1100, {{11, 100}}}));
  const ImageFlops heard{Flops(1), Flops(0), Modality::Audio};
  EXPECT_EQ(spread_images(items, 1, heard)[0], (DeviceImages{500, {{1, 500}}}));
}

// 10 parts of 100 are less attention than one image of 400, and neither is divided.
TEST(MediaItems, AreSpreadWhole) {
  const std::vector<MediaItem> items = {{Modality::Vision, 1000, 10, 250, 0}, 400, 200};
  const auto two = spread_images(items, 2, {Flops(0), Flops(1)});
  EXPECT_EQ(two[0], (DeviceImages{1200, {{1, 200}, {10, 100}}}));
  EXPECT_EQ(two[1], (DeviceImages{400, {{1, 400}}}));
}

}  // namespace
}  // namespace spillway
