// Resize rules by the name of a model family, as its released checkpoints have them, and from a model's
// files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workload/images.h"

namespace spillway {

// Nothing where there is no such name.
std::optional<ResizeRule> named_resize_rule(std::string_view name);

// "qwen2-vl, qwen2.5-vl, ..."
std::string resize_rule_names();

// Of a config.json and the preprocessor_config.json beside it, or of one of that name alone. Throws
// InputError.
ResizeRule resize_rule_of(const std::string& path);

}  // namespace spillway
