// Test: tests/workload/videos_test.cpp.
#include "workload/videos.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "workload/images.h"
#include "workload/sides.h"

namespace spillway {
namespace {

constexpr double kLeastOverBound = 1.05;    // of a frame's least pixels, in whatever budget
constexpr std::uint32_t kMarks = 2;         // <|vision_start|>, <|vision_end|>
constexpr std::uint32_t kAroundDigits = 5;  // "<", ".", a digit, " seconds", ">"

std::uint32_t multiple_below(double frames, std::uint32_t of) {
  return static_cast<std::uint32_t>(std::floor(frames / of)) * of;
}
std::uint32_t multiple_above(double frames, std::uint32_t of) {
  return static_cast<std::uint32_t>(std::ceil(frames / of)) * of;
}

// Python's round() rounds halves to even.
std::uint32_t nearest_multiple(std::uint32_t frames, std::uint32_t of) {
  return static_cast<std::uint32_t>(std::nearbyint(static_cast<double>(frames) / of)) * of;
}

std::uint32_t whole_temporal_patches(double frames, const VideoRule& rule) {
  const std::uint32_t patch = rule.temporal_patch;
  const double most = multiple_below(rule.max_frames, patch), least = multiple_above(rule.min_frames, patch);
  return std::max(multiple_below(std::min(std::max(frames, least), most), patch), patch);
}

double most_of_a_frame(std::uint32_t frames, const VideoRule& rule) {
  const double share = static_cast<double>(rule.total_pixels) / frames * rule.temporal_patch;
  const double least = std::floor(static_cast<double>(rule.min_pixels) * kLeastOverBound);
  return std::max(std::min(static_cast<double>(rule.max_pixels), share), least);
}

// Sides of at least a factor: the processor enlarges a smaller video first.
ImageSize enlarged(ImageSize size, double factor) {
  if (size.width >= factor && size.height >= factor) return size;
  const double scale = std::max(factor / size.height, factor / size.width);
  return {static_cast<std::uint32_t>(size.width * scale), static_cast<std::uint32_t>(size.height * scale)};
}

struct Bounds {
  double least, most;                // of what is compared
  double of_a_frame;                 // times a frame's pixels: what is compared
  double scaled_least, scaled_most;  // of a frame, to which it is scaled
};

Bounds bounds_of(std::uint32_t frames, const VideoRule& rule) {
  const auto least = static_cast<double>(rule.min_pixels);
  if (rule.budget == PixelBudget::PerFrame) {
    const double most = most_of_a_frame(frames, rule);
    return {least, most, 1, least, most};
  }
  const auto most = static_cast<double>(rule.max_pixels);
  return {least, most, static_cast<double>(nearest_multiple(frames, rule.temporal_patch)), least / frames,
          most / frames};
}

std::uint32_t digits_of(double seconds) {
  return seconds < 10 ? 1 : 1 + digits_of(seconds / 10);
}

// The tokens of timestamps: each is the mean time of a temporal patch's first and last frame.
std::uint32_t text_beside(std::uint32_t temporal_patches, double seconds_a_frame, const VideoRule& rule) {
  if (!rule.timestamps) return 0;
  std::uint32_t tokens = 0;
  for (std::uint32_t i = 0; i < temporal_patches; ++i) {
    const double middle = i * rule.temporal_patch + (rule.temporal_patch - 1) / 2.0;
    tokens += kMarks + kAroundDigits + digits_of(middle * seconds_a_frame);
  }
  return tokens;
}

}  // namespace

VideoRule qwen3_video_rule() {
  VideoRule rule;
  rule.budget = PixelBudget::Whole;
  rule.min_pixels = 4096;
  rule.max_pixels = 25'165'824;
  rule.timestamps = true;
  return rule;
}

bool takes_videos(const ResizeRule& rule) {
  return rule.by == Resizing::Area && rule.video.budget != PixelBudget::None;
}

std::uint32_t sampled_frames(VideoLength length, const VideoRule& rule) {
  ensure(length.any(), "a video has a length");
  const bool per_frame = rule.budget == PixelBudget::PerFrame;
  if (length.frames > 0)
    return std::max(per_frame ? nearest_multiple(length.frames, rule.temporal_patch) : length.frames,
                    rule.temporal_patch);
  if (per_frame) return whole_temporal_patches(length.seconds * rule.fps, rule);
  const double frames = std::floor(length.seconds * rule.fps);
  return static_cast<std::uint32_t>(
      std::min(std::max(frames, double(rule.min_frames)), double(rule.max_frames)));
}

std::optional<ImageSize> resized_frame(ImageSize size, std::uint32_t frames, const ResizeRule& rule) {
  if (size.width == 0 || size.height == 0) return std::nullopt;
  const double factor = factor_of(rule);
  if (rule.video.budget == PixelBudget::Whole) size = enlarged(size, factor);
  const auto [shorter, longer] = std::minmax(size.width, size.height);
  if (static_cast<double>(longer) / shorter > rule.max_aspect) return std::nullopt;
  const Bounds bounds = bounds_of(frames, rule.video);
  const Sides near = rounded(size, factor);
  Sides sides{std::max(near.width, factor), std::max(near.height, factor)};
  const double compared = sides.area() * bounds.of_a_frame;
  if (compared > bounds.most)
    sides = shrunk(size, factor, bounds.scaled_most);
  else if (compared < bounds.least)
    sides = grown(size, factor, bounds.scaled_least);
  return ImageSize{static_cast<std::uint32_t>(sides.width), static_cast<std::uint32_t>(sides.height)};
}

MediaItem video_item(ImageSize size, VideoLength length, const ResizeRule& rule) {
  ensure(takes_videos(rule), "a rule that takes videos");
  const std::uint32_t frames = sampled_frames(length, rule.video), merged = rule.merge * rule.merge;
  const std::optional<ImageSize> frame = resized_frame(size, frames, rule);
  ensure(frame.has_value(), "every frame has a resized form");
  const std::uint32_t parts = multiple_above(frames, rule.video.temporal_patch) / rule.video.temporal_patch;
  const std::uint32_t patches = parts * patch_count(*frame, rule);
  const double seconds_a_frame = length.seconds > 0 ? length.seconds / frames : 1 / rule.video.fps;
  return {Modality::Vision, patches, parts, patches / merged,
          text_beside(parts, seconds_a_frame, rule.video)};
}

bool is_cut_down(ImageSize size, VideoLength length, const ResizeRule& rule) {
  const std::uint32_t frames = sampled_frames(length, rule.video);
  if (length.seconds * rule.video.fps > frames + rule.video.temporal_patch) return true;
  const Bounds bounds = bounds_of(frames, rule.video);
  return rounded(size, factor_of(rule)).area() * bounds.of_a_frame > bounds.most;
}

}  // namespace spillway
