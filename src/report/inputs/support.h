// What of a model is covered, as `spillway support` prints it.
#pragma once

#include <string>
#include <vector>

#include "input/architecture/architecture_reader.h"

namespace spillway {

// spillway/support/1.
std::string support_json(const std::string& file, const std::vector<SupportedPart>& parts);

std::string support_text(const std::string& file, const std::vector<SupportedPart>& parts);

}  // namespace spillway
