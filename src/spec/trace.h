// Traces: CSV with a header line. Image sizes as width,height,count (pixels), or images by size and
// distributions over samples as value,prob (value in backbone tokens for images, in images or tokens for
// samples).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "workload/images.h"
#include "workload/workload.h"

namespace spillway {

// Sides beyond this are no image: twice the largest a JPEG can be.
inline constexpr std::uint32_t kLongestSide = 131'070;

using Trace = std::variant<std::vector<SizeCount>, std::vector<TokenShare>>;

// Throws InputError with every bad line, as "FILE: line 7: expected ..., found ...".
Trace read_trace(const std::string& path);

// A value,prob trace over samples; the shares are scaled to add up to 1. Throws InputError likewise.
Histogram read_histogram(const std::string& path);

// Contract: `trace` was read by read_trace.
PatchDistribution patches_of(const Trace& trace, const ResizeRule& rule);

// Values in any order with shares whose sum is positive, scaled to add up to 1.
Histogram histogram_of(const std::vector<TokenShare>& shares);

}  // namespace spillway
