// A platform from its JSON form (platform/platform.h).
#pragma once

#include <string>

#include "platform/platform.h"

namespace spillway {

// Throws InputError with every violation.
Platform read_platform(const std::string& path);

}  // namespace spillway
