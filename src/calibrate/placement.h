// Asks for the node of each device where neither a file nor the platform says it.
#pragma once

#include <vector>

#include "calibrate/measurements.h"
#include "platform/platform.h"

namespace spillway {

// Throws InputError for every file of messages whose placement the platform rules out or does not determine:
// all devices were assumed in one node, which is smaller; or the file lists hosts, which are parts of a rack
// (the platform has no tier "node"), so that one rack may hold several.
void require_placement(const Platform& platform, const std::vector<Measurements>& measurements);

}  // namespace spillway
