// Computes encoder patches from image sizes: the resize rules of vision towers, and a trace of sizes under a
// rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload/media_item.h"
#include "workload/videos.h"

namespace spillway {

struct ImageSize {
  std::uint32_t width;
  std::uint32_t height;

  friend bool operator==(ImageSize, ImageSize) = default;
};

//   Area    Rounds both sides to multiples of patch x merge and keeps the area within bounds: Qwen's
//           smart_resize.
//   Square  Resizes every image to `side` x `side`: SigLIP in Gemma 3 (models/gemma3, without pan and scan).
//   Tiles   Uses the number of `side` x `side` tiles nearest to the aspect ratio, at most max_tiles, plus a
//           thumbnail if there are several tiles: InternVL (dynamic_preprocess of its pages).
//   Capped  Shrinks to max_patches, then pads to multiples of patch x merge: Kimi-VL
//           (image_processing_kimi_vl.py).
enum class Resizing : std::uint8_t { Area, Square, Tiles, Capped };

// The defaults are those of Qwen2-VL's smart_resize: preprocessor_config.json of
// https://huggingface.co/Qwen/Qwen2-VL-7B-Instruct and the class defaults of its image processor in
// transformers.
struct ResizeRule {
  std::uint32_t patch = 14;
  std::uint32_t merge = 2;  // merge x merge patches become one backbone token
  std::uint64_t min_pixels = 56 * 56;
  std::uint64_t max_pixels = 28 * 28 * 1280;
  std::uint32_t max_aspect = 200;  // Area
  Resizing by = Resizing::Area;
  std::uint32_t side = 0;            // Square, Tiles: pixels
  std::uint32_t max_tiles = 12;      // Tiles
  std::uint32_t max_patches = 4096;  // Capped
  VideoRule video = {};              // Area; its temporal_patch is the tower's

  friend bool operator==(const ResizeRule&, const ResizeRule&) = default;
};

// Returns the size under the rule, with both sides multiples of patch x merge; tiles lie in a row. Returns
// nothing for a zero side, or for an aspect ratio above an Area rule's.
std::optional<ImageSize> resized(ImageSize size, const ResizeRule& rule);

// Returns the patches of an image of this (resized) size. Backbone tokens are patches / merge^2.
std::uint32_t patch_count(ImageSize resized, const ResizeRule& rule);

// The distribution of patches per item: values ascending, cumulative shares ending at 1. An item is an image,
// a video or a clip of audio.
struct PatchDistribution {
  std::vector<std::uint32_t> patches;
  std::vector<double> cumulative;
  std::vector<MediaItem> items = {};  // of these patches, one by one; empty if all are images
  std::uint64_t images = 0;           // images of the trace; 0 if it gives only shares
  double at_cap_fraction = 0;         // share of images at the rule's upper bound
  std::uint32_t patches_per_token = 4;
  std::vector<std::string> remarks = {};  // about the source list: sentences without a full stop
  std::uint64_t videos = 0;               // videos among the images of the trace

  friend bool operator==(const PatchDistribution&, const PatchDistribution&) = default;
};

// A trace line: `count` images or videos of one size, or `share` of images with this many backbone tokens.
struct SizeCount {
  ImageSize size;
  std::uint64_t count;
  VideoLength length = {};
};
struct TokenShare {
  std::uint32_t tokens;
  double share;
};

// Contract: `sizes` is not empty, and every size has a resized form; the rule takes videos if there are any.
// At the cap: images that the rule scales down, and videos that it cuts down.
PatchDistribution patches_of(const std::vector<SizeCount>& sizes, const ResizeRule& rule);
// Contract: `shares` is not empty, and some share is positive. An image of zero tokens counts. At the cap:
// the largest value.
PatchDistribution patches_of(const std::vector<TokenShare>& shares, const ResizeRule& rule);

// Percentile q is the smallest value such that at least a share q is at or below it.
struct PatchSummary {
  std::uint32_t p1, p10, p50, p90, p99, max;
  double mean;
  double cv;
};
PatchSummary summary(const PatchDistribution& distribution);

}  // namespace spillway
