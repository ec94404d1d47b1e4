// Models by name or by their keys, as readers of launch scripts need them.
#pragma once

#include <optional>
#include <string>

#include "base/findings.h"
#include "cost/layers/architecture.h"
#include "json/node.h"

namespace spillway {

// The shipped model that a name of Hugging Face means: "deepseek-ai/DeepSeek-V3" is deepseek-v3, and instruct
// and base versions have the architecture of their model. Nothing if none is shipped.
std::optional<std::string> shipped_model(const std::string& name);

// The language model of a shipped name or a file; a path becomes absolute. Nothing if it is not there, which
// is a finding at `place`. Throws InputError for a file that is refused.
std::optional<Architecture> read_backbone(std::string& name, const std::string& place, Findings& findings);

// True if the config.json of a shipped name or a path has an encoder of images.
bool has_vision_tower(const std::string& name);

// The config.json of a shipped name or a path; nothing if it cannot be read.
std::optional<Node> config_of(const std::string& name);
// A whole number of it, or of its text_config or llm_config; nothing if it has none.
std::optional<std::uint32_t> whole_of(const Node& config, std::string_view key);

// The language model of a config.json's keys.
Architecture architecture_of(const Node& config);

}  // namespace spillway
