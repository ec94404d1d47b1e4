// What an image-size trace means for the encoder, as `spillway images` prints it.
#pragma once

#include <string>

#include "workload/images.h"

namespace spillway {

// { "images", "patches": { "p1", "p10", "p50", "p90", "p99", "max", "mean", "cv" }, "at_cap_fraction", "remarks" };
// images is null where the trace gives shares only.
std::string images_json(const PatchDistribution& distribution);

std::string images_text(const PatchDistribution& distribution);

}  // namespace spillway
