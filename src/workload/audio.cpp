// Test: tests/workload/audio_test.cpp.
#include "workload/audio.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "workload/item_distribution.h"

namespace spillway {
namespace {

constexpr double kMelFramesPerSecond = 16'000.0 / 160;
// A decimal number of seconds is not a whole number of frames in binary.
constexpr double kPartOfAFrame = 1e-9;

std::uint32_t mel_frames(double seconds, const AudioRule& rule) {
  const double frames = std::min(seconds, rule.max_seconds) * kMelFramesPerSecond;
  return std::max(static_cast<std::uint32_t>(std::floor(frames + kPartOfAFrame)), 1U);
}

std::uint32_t in_chunks(std::uint32_t frames, const AudioRule& rule) {
  const std::uint32_t rest = frames % rule.chunk;
  return frames / rule.chunk * positions_of(rule.chunk, rule) + (rest > 0 ? positions_of(rest, rule) : 0);
}

std::uint32_t pooled(std::uint32_t positions, std::uint32_t pool) {
  return std::max(positions / pool, 1U);
}

}  // namespace

std::uint32_t positions_of(std::uint32_t mel_frames, const AudioRule& rule) {
  std::uint32_t positions = mel_frames;
  for (std::uint32_t i = 0; i < rule.convolutions; ++i) positions = (positions - 1) / 2 + 1;
  return positions;
}

MediaItem clip_item(double seconds, const AudioRule& rule) {
  ensure(seconds > 0, "a clip has a length");
  const std::uint32_t frames = mel_frames(seconds, rule), positions = in_chunks(frames, rule);
  const std::uint32_t tokens = pooled(positions, rule.pool);
  if (!rule.padded) return {Modality::Audio, positions, 1, tokens, 0};
  const std::uint32_t windows = (frames - 1) / rule.chunk + 1;
  return {Modality::Audio, windows * positions_of(rule.chunk, rule), windows, tokens, 0};
}

PatchDistribution clips_of(const std::vector<ClipCount>& clips, const AudioRule& rule) {
  std::map<MediaItem, std::uint64_t, FewerPatches> items;
  std::uint64_t total = 0, cut_off = 0;
  for (const auto& [seconds, count] : clips) {
    items[clip_item(seconds, rule)] += count;
    total += count;
    if (seconds > rule.max_seconds) cut_off += count;
  }
  ensure(total > 0, "a trace has clips");
  PatchDistribution distribution = distribution_of(items);
  distribution.images = total;
  distribution.at_cap_fraction = static_cast<double>(cut_off) / static_cast<double>(total);
  distribution.patches_per_token = rule.pool;
  return distribution;
}

}  // namespace spillway
