// Traces. Image sizes in pixels: a table of any kind, JSON, a folder of images or an archive
// (input/images/image_list.h, image_table.h). Images by size and distributions over samples: CSV with the
// header value,prob (value in backbone tokens for images, in images or tokens for samples).
#pragma once

#include <string>
#include <vector>

#include "json/file_memory.h"
#include "workload/images.h"
#include "workload/workload.h"

namespace spillway {

// Images, or tokens, of one sample; tokens of one image.
inline constexpr std::uint32_t kMostPerSample = 1'000'000;

// What a trace of images means under a resize rule. Throws InputError with every bad line or element, as
// "FILE: line 7: expected ..., found ...".
PatchDistribution read_image_trace(const std::string& path, const ResizeRule& rule, const Files& files = {});

// A value,prob trace over samples; the shares are scaled to add up to 1. Throws InputError likewise.
Histogram read_histogram(const std::string& path, const Files& files = {});

// Values in any order with shares whose sum is positive, scaled to add up to 1.
Histogram histogram_of(const std::vector<TokenShare>& shares);

}  // namespace spillway
