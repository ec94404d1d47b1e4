// The output of `spillway images`: the encoder patches and backbone tokens of an image-size trace.
#pragma once

#include <string>

#include "workload/images.h"

namespace spillway {

// Returns { "images", "patches": { "p1", "p10", "p50", "p90", "p99", "max", "mean", "cv" },
// "at_cap_fraction", "remarks" }. "images" is null if the trace states shares of images only.
std::string images_json(const PatchDistribution& distribution);

std::string images_text(const PatchDistribution& distribution);

}  // namespace spillway
