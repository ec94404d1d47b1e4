// [ ... ], test ... and [[ ... ]] without a file system.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/shell/state.h"

namespace spillway {

// `words` are expanded and without the brackets. Variables that the script does not set are empty. Returns
// nothing if the answer depends on files, on unknown parts or on an operator that is not evaluated.
std::optional<bool> shell_condition(const std::vector<std::string>& words, bool double_brackets,
                                    const UnknownParts& parts);

}  // namespace spillway
