// Traces: CSV with a header line. Image sizes as width,height,count (pixels), or images by size and
// distributions over samples as value,prob (value in backbone tokens for images, in images or tokens for
// samples).
#pragma once

#include <string>
#include <vector>

#include "spec/json/file_memory.h"
#include "workload/images.h"
#include "workload/workload.h"

namespace spillway {

// Sides beyond this are no image: twice the largest a JPEG can be.
inline constexpr std::uint32_t kLongestSide = 131'070;

// Images, or tokens, of one sample; tokens of one image.
inline constexpr std::uint32_t kMostPerSample = 1'000'000;

// What a trace of images means under a resize rule. Throws InputError with every bad line, as
// "FILE: line 7: expected ..., found ...".
PatchDistribution read_image_trace(const std::string& path, const ResizeRule& rule, const Files& files = {});

// A value,prob trace over samples; the shares are scaled to add up to 1. Throws InputError likewise.
Histogram read_histogram(const std::string& path, const Files& files = {});

// Values in any order with shares whose sum is positive, scaled to add up to 1.
Histogram histogram_of(const std::vector<TokenShare>& shares);

}  // namespace spillway
