// Computes a video's frames, patches and tokens: the rules of Qwen's video processors.
//
//   A frame is taken 1 / fps seconds after the last one, at least min_frames and at most max_frames in all.
//   Frames are resized alike. `temporal_patch` frames, one after the other, make one temporal patch, whose
//   patches attend to each other (modeling_qwen2_vl.py, cu_seqlens).
#pragma once

#include <cstdint>
#include <optional>

#include "workload/media_item.h"

namespace spillway {

struct ImageSize;
struct ResizeRule;

//   None      The tower's rule says nothing of videos.
//   PerFrame  Bounds are those of one frame. All frames have at most total_pixels, counted once for each
//             temporal patch; a frame may have 1.05 min_pixels in any case. Qwen2-VL and Qwen2.5-VL:
//             fetch_video and smart_nframes of qwen-vl-utils at d2240f11 (QwenLM/Qwen2.5-VL).
//   Whole     Bounds are those of all frames together. Qwen3-VL: transformers at 04e7e5e6,
//             models/qwen3_vl/video_processing_qwen3_vl.py, with cap_pixels_per_frame off, its default.
enum class PixelBudget : std::uint8_t { None, PerFrame, Whole };

// The defaults are those of qwen-vl-utils.
struct VideoRule {
  PixelBudget budget = PixelBudget::PerFrame;
  double fps = 2;
  std::uint32_t min_frames = 4;
  std::uint32_t max_frames = 768;
  std::uint32_t temporal_patch = 2;
  std::uint64_t min_pixels = 128 * 28 * 28;
  std::uint64_t max_pixels = 768 * 28 * 28;
  std::uint64_t total_pixels = 90'316'800;  // PerFrame: 0.9 x 128,000 x 28 x 28
  // The processor writes "<1.5 seconds>" and marks before and behind each temporal patch: Qwen3-VL
  // (processing_qwen3_vl.py at 0117d5f7). Qwen2's tokenizer makes a token of each digit.
  bool timestamps = false;

  friend bool operator==(const VideoRule&, const VideoRule&) = default;
};

// Of these, one is stated. Neither: an image.
struct VideoLength {
  double seconds = 0;
  std::uint32_t frames = 0;  // already sampled

  bool any() const { return seconds > 0 || frames > 0; }
  friend bool operator==(const VideoLength&, const VideoLength&) = default;
};

// Qwen3-VL's rule, with the bounds of its released video_preprocessor_config.json.
VideoRule qwen3_video_rule();

bool takes_videos(const ResizeRule& rule);

// Returns the frames that are encoded. Contract: `length` is a video's.
std::uint32_t sampled_frames(VideoLength length, const VideoRule& rule);

// Returns a frame's size under the rule, or nothing for a zero side or an aspect ratio above the rule's.
std::optional<ImageSize> resized_frame(ImageSize size, std::uint32_t frames, const ResizeRule& rule);

// Contract: takes_videos(rule), `length` is a video's, and resized_frame() is something.
MediaItem video_item(ImageSize size, VideoLength length, const ResizeRule& rule);

// Returns true if the rule takes fewer frames or pixels than the video has for its upper bounds.
bool is_cut_down(ImageSize size, VideoLength length, const ResizeRule& rule);

}  // namespace spillway
