// Samples with images, whose sizes and texts no script states.
#pragma once

#include <cstdint>
#include <optional>

#include "base/findings.h"
#include "json/node.h"
#include "launch/command/launch_options.h"

namespace spillway {

// The samples of a microbatch: so many, each by itself, or as many as fill one sequence.
struct ImageSamples {
  std::uint32_t samples = 1;
  std::optional<std::uint32_t> packed_tokens = {};  // of the sequence that they fill
};

// The /workload; `rule` bounds the images' areas, and is empty where the model resizes by other rules. Images
// and text tokens that the user did not state are findings.
Object image_workload(const LaunchOptions& options, const Object& rule, const ImageSamples& microbatch,
                      Findings& findings);

}  // namespace spillway
