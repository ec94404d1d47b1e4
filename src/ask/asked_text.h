// Reads a layout from a short text. Private to src/ask.
#pragma once

#include <string>
#include <vector>

#include "ask/asked_layout.h"

namespace spillway {

// The form of asked_layout.h. Throws InputError with every violation of the text.
// The platforms of the job's clusters, each once.
std::vector<std::string> platform_names(const PlanJob& job);

AskedLayout layout_of_text(const PlanJob& job, const std::string& text);

}  // namespace spillway
