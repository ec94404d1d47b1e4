// From image sizes to encoder patches: how vision towers resize, and what a trace of sizes means under it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct ImageSize {
  std::uint32_t width;
  std::uint32_t height;

  friend bool operator==(ImageSize, ImageSize) = default;
};

// Area    Both sides to multiples of patch x merge, the area within bounds: Qwen's smart_resize.
// Square  Every image to `side` x `side`: SigLIP in Gemma 3 (models/gemma3, without pan and scan).
// Tiles   As many tiles of `side` x `side` as come nearest to the aspect ratio, at most max_tiles, and a
//         thumbnail beside them where they are more than one: InternVL (dynamic_preprocess of its pages).
// Capped  Shrunk to max_patches, then padded to multiples of patch x merge: Kimi-VL
// (image_processing_kimi_vl.py).
enum class Resizing : std::uint8_t { Area, Square, Tiles, Capped };

// Qwen2-VL's smart_resize, preprocessor_config.json of https://huggingface.co/Qwen/Qwen2-VL-7B-Instruct and
// the image processor of transformers (class defaults here).
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

  friend bool operator==(const ResizeRule&, const ResizeRule&) = default;
};

// Both sides multiples of patch x merge, by the rule; tiles lie in a row. Nothing for a zero side, or an
// aspect ratio above an Area rule's.
std::optional<ImageSize> resized(ImageSize size, const ResizeRule& rule);

// Patches of an image of this (resized) size. Backbone tokens are patches / merge^2.
std::uint32_t patch_count(ImageSize resized, const ResizeRule& rule);

// How many patches one image has: values ascending, cumulative shares ending at 1.
struct PatchDistribution {
  std::vector<std::uint32_t> patches;
  std::vector<double> cumulative;
  std::uint64_t images = 0;    // in the trace; 0 where it gives shares only
  double at_cap_fraction = 0;  // images at the rule's upper bound
  std::uint32_t patches_per_token = 4;
  std::vector<std::string> remarks = {};  // on the list that it is of: sentences without a full stop

  friend bool operator==(const PatchDistribution&, const PatchDistribution&) = default;
};

// A trace line: `count` images of one size, or `share` of images with this many backbone tokens.
struct SizeCount {
  ImageSize size;
  std::uint64_t count;
};
struct TokenShare {
  std::uint32_t tokens;
  double share;
};

// Contract: not empty, every size has a resized form. At the cap: an image that the rule scales down.
PatchDistribution patches_of(const std::vector<SizeCount>& sizes, const ResizeRule& rule);
// Contract: not empty, some share positive. An image of zero tokens counts. At the cap: the largest
// value.
PatchDistribution patches_of(const std::vector<TokenShare>& shares, const ResizeRule& rule);

// Percentile q: the smallest value with at least a share q at or below it.
struct PatchSummary {
  std::uint32_t p1, p10, p50, p90, p99, max;
  double mean;
  double cv;
};
PatchSummary summary(const PatchDistribution& distribution);

}  // namespace spillway
