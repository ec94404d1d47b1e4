// Samples with images, whose sizes and texts no script states.
#pragma once

#include <cstdint>

#include "base/findings.h"
#include "json/node.h"
#include "launch/command/launch_options.h"

namespace spillway {

// The /workload of unpacked samples; `rule` bounds the images' areas, and is empty where the model resizes by
// other rules. Images and text tokens that the user did not state are findings.
Object image_workload(const LaunchOptions& options, const Object& rule, std::uint32_t samples,
                      Findings& findings);

}  // namespace spillway
