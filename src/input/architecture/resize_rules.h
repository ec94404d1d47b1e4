// Reads how a vision tower resizes images and samples videos: from preprocessor_config.json and
// video_preprocessor_config.json beside the config.json, or by the name of a model family, as in its released
// checkpoints.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cost/layers/vision.h"
#include "json/file_memory.h"
#include "json/place.h"
#include "workload/images.h"

namespace spillway {

// Patch and merge sizes are the tower's. The area's bounds are the file's min_pixels and max_pixels. Later
// releases call the same areas size.shortest_edge and size.longest_edge. Without both, the rule's own bounds
// hold. A file that contradicts the tower's patch_size, temporal_patch_size or merge_size is refused. Throws
// InputError with every violation.
ResizeRule read_resize_rule(const std::string& config_path, const VisionTower& tower,
                            const Files& files = {});

// Reads a preprocessor_config.json alone, for processors that state the tower's patch and merge sizes. Throws
// InputError with every violation.
inline constexpr std::string_view kPreprocessor = "preprocessor_config.json";
inline constexpr std::string_view kVideoPreprocessor = "video_preprocessor_config.json";
ResizeRule read_resize_rule(const std::string& preprocessor_path);

// Returns nothing if there is no such name.
std::optional<ResizeRule> named_resize_rule(std::string_view name);

// The frames a second that a video may be sampled at.
inline constexpr Range kFrameRate{.above = 0, .at_most = 1000, .expected = "a rate above 0 and at most 1000"};

// "qwen2-vl, qwen2.5-vl, ..."
std::string resize_rule_names();

// Reads a config.json and the preprocessor_config.json beside it, or a preprocessor_config.json alone. Throws
// InputError.
ResizeRule resize_rule_of(const std::string& path);

}  // namespace spillway
