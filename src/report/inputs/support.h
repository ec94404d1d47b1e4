// The output of `spillway support`: the parts of a model that the program covers.
#pragma once

#include <string>
#include <vector>

#include "input/architecture/architecture_reader.h"

namespace spillway {

// Returns a document spillway/support/1.
std::string support_json(const std::string& file, const std::vector<SupportedPart>& parts);

std::string support_text(const std::string& file, const std::vector<SupportedPart>& parts);

}  // namespace spillway
