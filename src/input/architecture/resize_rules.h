// How a vision tower takes images: preprocessor_config.json, where it lies beside the config.json.
// Resize rules by the name of a model family, as its released checkpoints have them, and from a model's
// files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cost/layers/vision.h"
#include "json/file_memory.h"
#include "workload/images.h"

namespace spillway {

// Patch and merge are the tower's; bounds of the area are the file's min_pixels and max_pixels, or, as later
// releases call the same areas, size.shortest_edge and size.longest_edge, or else the rule's own. A file that
// contradicts the tower's patch_size, temporal_patch_size or merge_size is refused. Throws InputError with
// every violation.
ResizeRule read_resize_rule(const std::string& config_path, const VisionTower& tower,
                            const Files& files = {});

// Of the preprocessor_config.json alone, for the processors that say the tower's patch and merge. Throws
// InputError with every violation.
inline constexpr std::string_view kPreprocessor = "preprocessor_config.json";
ResizeRule read_resize_rule(const std::string& preprocessor_path);

// Nothing where there is no such name.
std::optional<ResizeRule> named_resize_rule(std::string_view name);

// "qwen2-vl, qwen2.5-vl, ..."
std::string resize_rule_names();

// Of a config.json and the preprocessor_config.json beside it, or of one of that name alone. Throws
// InputError.
ResizeRule resize_rule_of(const std::string& path);

}  // namespace spillway
