// Reads traces. Sizes of images and videos in pixels come as a table of any kind, JSON, a folder of images or
// an archive (input/images/image_list.h, image_table.h); audio as CSV with the header seconds,count. Images
// by size and distributions over samples come as CSV with the header value,prob. A value is in backbone
// tokens for images, and in images or tokens for samples.
#pragma once

#include <string>
#include <vector>

#include "json/file_memory.h"
#include "workload/audio.h"
#include "workload/images.h"
#include "workload/workload.h"

namespace spillway {

// The most images or tokens of one sample, and the most tokens of one image.
inline constexpr std::uint32_t kMostPerSample = 1'000'000;

// Reads a trace of images under a resize rule. Throws InputError with every bad line or element, as "FILE:
// line 7: expected ..., found ...".
PatchDistribution read_image_trace(const std::string& path, const ResizeRule& rule, const Files& files = {});

// Reads a trace of audio clips under a rule: seconds,count. Throws InputError likewise.
PatchDistribution read_audio_trace(const std::string& path, const AudioRule& rule, const Files& files = {});

// Reads a value,prob trace over samples. Scales the shares to add up to 1. Throws InputError likewise.
Histogram read_histogram(const std::string& path, const Files& files = {});

// Makes a histogram of values in any order, whose shares have a positive sum. Scales the shares to add up to
// 1.
Histogram histogram_of(const std::vector<TokenShare>& shares);

}  // namespace spillway
